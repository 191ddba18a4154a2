import type { AccountCtx } from '../../context.ts'
import { pageOf } from '../../platform/cursor.ts'
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
  const { rows, nextCursor } = pageOf(entries, AUDIT_PAGE, ({ id }) => id)
  return { entries: rows, nextCursor }
}
