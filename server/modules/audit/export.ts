import { actionDescription } from '../../audit-actions.ts'
import type { AccountCtx } from '../../context.ts'
import { readLagging } from '../../platform/database/read-replica.ts'
import { csvFile, csvText } from '../../platform/text/csv.ts'
import { entrySizes, type ReadEntry, readEntries } from './read.ts'
import type { AUDIT_FORMATS, AuditFilter } from './schema.ts'

/** How many entries' sizes are read at once, and how many bytes of snapshots are read and written at once. */
const SIZED = 500
const BATCH_BYTES = 128 * 1024
/** An entry without snapshots. */
const LEAST_BYTES = 512

const COLUMNS = ['id', 'time', 'actor', 'actor_id', 'actor_kind', 'action', 'words', 'subject', 'subject_id', 'before', 'after']

/**
 * Yields the account's audit log as a file, in chunks of about `BATCH_BYTES`, because it may not fit in memory. Newest first. Leaves out
 * entries added in the meantime and, on a replica, those of the last seconds. Holds no connection between chunks: entries never change.
 */
export async function* exportAudit(
  ctx: AccountCtx,
  { format, filter }: { format: (typeof AUDIT_FORMATS)[number]; filter: AuditFilter },
): AsyncGenerator<string> {
  yield format === 'csv' ? csvFile([COLUMNS]) : '['
  let cursor: string | undefined
  let separator = '\n'
  for (;;) {
    const sizes = await readLagging((from) => entrySizes(ctx, filter, cursor, SIZED, from.db))
    if (sizes.length === 0) break
    for (const take of batches(sizes)) {
      const entries = await readLagging((from) => readEntries(ctx, filter, cursor, take, from.db))
      if (entries.length === 0) continue
      yield format === 'csv' ? csvText(entries.map(cellsOf)) : separator + entries.map((entry) => JSON.stringify(entry)).join(',\n')
      separator = ',\n'
      cursor = entries.at(-1)?.id
    }
  }
  if (format === 'json') yield '\n]\n'
}

/** Returns how many of the entries to read at a time. */
function batches(sizes: readonly number[]): number[] {
  const counts: number[] = []
  let bytes = BATCH_BYTES
  for (const size of sizes) {
    bytes += LEAST_BYTES + size
    if (bytes > BATCH_BYTES) {
      counts.push(0)
      bytes = LEAST_BYTES + size
    }
    counts.push((counts.pop() ?? 0) + 1)
  }
  return counts
}

const inJson = (snapshot: ReadEntry['before']) => snapshot && JSON.stringify(snapshot)

const cellsOf = ({ id, at, actor, action, subject, before, after }: ReadEntry) => [
  id,
  at,
  actor.name,
  actor.id,
  actor.kind,
  action,
  actionDescription(action),
  subject.name,
  subject.id,
  inJson(before),
  inJson(after),
]
