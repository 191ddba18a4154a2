import type { AccountCtx } from '../../context.ts'
import { type ReadEntry, readEntries } from './read.ts'
import { AUDIT_PAGE, type AuditListInput } from './schema.ts'

export interface AuditPage {
  entries: ReadEntry[]
  /** Start of the next page; null on the last. */
  nextCursor: string | null
}

/** Returns one page of the account's audit log, newest first. Any member may read it. */
export async function listAudit(ctx: AccountCtx, { cursor, ...filter }: AuditListInput): Promise<AuditPage> {
  const entries = await readEntries(ctx, filter, cursor, AUDIT_PAGE + 1)
  const more = entries.length > AUDIT_PAGE
  const page = entries.slice(0, AUDIT_PAGE)
  return { entries: page, nextCursor: more ? (page.at(-1)?.id ?? null) : null }
}
