import { actionDescription } from '../../audit-actions.ts'
import type { AccountCtx } from '../../context.ts'
import { csvFile, csvText } from '../../platform/csv.ts'
import { readLagging } from '../../platform/read-replica.ts'
import { type ReadEntry, readEntries } from './read.ts'
import type { AUDIT_FORMATS, AuditFilter } from './schema.ts'

const BATCH = 500
const COLUMNS = ['id', 'time', 'actor', 'actor_id', 'actor_kind', 'action', 'words', 'subject', 'subject_id', 'before', 'after']

/**
 * Yields the account's audit log as a file in parts, because it may be too long for memory. Newest first; entries added meanwhile are not
 * included, and on a replica those of the last seconds.
 */
export async function* exportAudit(
  ctx: AccountCtx,
  { format, filter }: { format: (typeof AUDIT_FORMATS)[number]; filter: AuditFilter },
): AsyncGenerator<string> {
  yield format === 'csv' ? csvFile([COLUMNS]) : '['
  let cursor: string | undefined
  let separator = '\n'
  for (;;) {
    const entries = await readLagging((from) => readEntries(ctx, filter, cursor, BATCH, from.db))
    if (entries.length > 0) {
      yield format === 'csv' ? csvText(entries.map(cellsOf)) : separator + entries.map((entry) => JSON.stringify(entry)).join(',\n')
      separator = ',\n'
    }
    cursor = entries.at(-1)?.id
    if (entries.length < BATCH || !cursor) break
  }
  if (format === 'json') yield '\n]\n'
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
