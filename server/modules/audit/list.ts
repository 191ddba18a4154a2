import type { AccountCtx } from '../../context.ts'
import { type Folded, foldViews, type ListedEntry } from './fold-views.ts'
import { type ReadEntry, readEntries } from './read.ts'
import { AUDIT_PAGE, type AuditListInput } from './schema.ts'

/** Entries read at once, and at most per page. */
const [BATCH, MOST_READ] = [200, 1_000]

export interface AuditPage {
  entries: ListedEntry[]
  /** Start of the next page; null on the last. */
  nextCursor: string | null
}

/**
 * Returns one page of the account's audit log, newest first. One staff member's consecutive views are one row, unless the filter asks for
 * this action. Any member may read it.
 */
export async function listAudit(ctx: AccountCtx, { cursor, ...filter }: AuditListInput): Promise<AuditPage> {
  const each = filter.action === 'support.view'
  const read: ReadEntry[] = []
  for (;;) {
    const size = read.length === 0 ? AUDIT_PAGE + 1 : BATCH
    const batch = await readEntries(ctx, filter, read.at(-1)?.id ?? cursor, size)
    read.push(...batch)
    const rows = each ? read.map((entry) => ({ shown: entry, last: entry.id })) : foldViews(read)
    const ended = batch.length < size
    if (ended || rows.length > AUDIT_PAGE || read.length >= MOST_READ) return pageOf(rows, ended)
  }
}

/** Returns the rows of a page. Every row but the last one read is complete; the next page can continue that one. */
function pageOf(rows: readonly Folded[], ended: boolean): AuditPage {
  const shown = rows.slice(0, AUDIT_PAGE)
  const more = rows.length > AUDIT_PAGE || !ended
  return { entries: shown.map((row) => row.shown), nextCursor: more ? (shown.at(-1)?.last ?? null) : null }
}
