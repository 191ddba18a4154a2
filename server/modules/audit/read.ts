import type { AccountCtx } from '../../context.ts'
import { serviceToday } from '../../platform/database/clock.ts'
import { db, query, type Tx } from '../../platform/database/database.ts'
import { daysAsked } from '../../platform/text/day-ranges.ts'
import type { AuditFilter } from './schema.ts'

export type Snapshot = Record<string, unknown>

/** One change, as the account's members see it. */
export interface ReadEntry {
  /** Increases with time. */
  id: string
  at: Date
  actor: { id: string; kind: 'person' | 'key' | 'support' | 'operator' | 'system'; name: string }
  /** Listed in server/audit-actions.ts. */
  action: string
  /** The changed object. `name` is its current name, null if it has none or was deleted. */
  subject: { id: string; name: string | null }
  before: Snapshot | null
  after: Snapshot | null
}

const DAY_MS = 86_400_000

/** Returns at most `take` entries of the account that match the filter and precede `cursor`, newest first. */
export async function readEntries(
  ctx: AccountCtx,
  filter: AuditFilter,
  cursor: string | undefined,
  take: number,
  on = db(),
): Promise<ReadEntry[]> {
  const rows = await on.auditEntry.findMany({ where: conditions(ctx, filter, cursor), orderBy: { id: 'desc' }, take })
  const names = await namesOf(
    ctx,
    rows.flatMap((row) => [row.actor, row.subject]),
    on,
  )
  return rows.map((row) => {
    const [before, after] = [row.before as Snapshot | null, row.after as Snapshot | null]
    const known = names.get(row.subject) ?? after?.email ?? before?.email ?? (row.subject === row.actor ? row.actorEmail : null)
    const subject = { id: row.subject, name: typeof known === 'string' ? known : null }
    return { id: String(row.id), at: row.createdAt, actor: actorOf(row, names), action: row.action, subject, before, after }
  })
}

/** Returns the size of the snapshots in each entry that `readEntries` returns. */
export async function entrySizes(
  ctx: AccountCtx,
  filter: AuditFilter,
  cursor: string | undefined,
  take: number,
  on = db(),
): Promise<number[]> {
  const rows = await on.auditEntry.findMany({ where: conditions(ctx, filter, cursor), orderBy: { id: 'desc' }, take, select: { id: true } })
  const ids = rows.map(({ id }) => id)
  const sizes = await on.$queryRaw<{ bytes: number }[]>`
    SELECT COALESCE(octet_length(before::text), 0) + COALESCE(octet_length(after::text), 0) AS bytes
    FROM audit_entry WHERE account_id = ${ctx.accountId} AND id = ANY (${ids}) ORDER BY id DESC`
  return sizes.map(({ bytes }) => bytes)
}

function conditions({ accountId }: AccountCtx, { actor, action, subject, ...asked }: AuditFilter, cursor: string | undefined) {
  const { from, to } = daysAsked(asked, serviceToday())
  const createdAt = { gte: from && new Date(from), lt: to && new Date(Date.parse(to) + DAY_MS) }
  return { accountId, actor, action, subject, createdAt, id: cursor ? { lt: BigInt(cursor) } : undefined }
}

/** Returns the actor of an entry for display. */
export function actorOf(
  { actor, actorEmail }: { actor: string; actorEmail: string | null },
  names: Map<string, string>,
): ReadEntry['actor'] {
  if (actor === 'system') return { id: actor, kind: 'system', name: 'Reelgate' }
  if (actor === 'operator') return { id: actor, kind: 'operator', name: 'Operator' }
  if (actor.startsWith('support:')) return { id: actor, kind: 'support', name: actorEmail ?? 'Support' }
  if (actor.startsWith('key_')) return { id: actor, kind: 'key', name: names.get(actor) ?? 'A key' }
  return { id: actor, kind: 'person', name: actorEmail ?? names.get(actor) ?? 'Former member' }
}

/** Returns the current names of the account's keys, videos, collections, webhook endpoints and members, by ID. */
export async function namesOf({ accountId }: AccountCtx, ids: string[], on: Tx = db()): Promise<Map<string, string>> {
  const some = (prefix: string) => [...new Set(ids)].filter((id) => id.startsWith(prefix))
  const [keys, videos, collections, endpoints, members] = await Promise.all([
    on.apiKey.findMany({ where: { accountId, id: { in: some('key_') } }, select: { id: true, name: true } }),
    on.video.findMany({ where: { accountId, id: { in: some('vid_') } }, select: { id: true, title: true } }),
    on.collection.findMany({ where: { accountId, id: { in: some('col_') } }, select: { id: true, name: true } }),
    on.webhookEndpoint.findMany({ where: { accountId, id: { in: some('whe_') } }, select: { id: true, url: true } }),
    on.membership.findMany({
      where: { accountId, userId: { in: some('usr_') } },
      select: { userId: true, user: { select: { email: true } } },
    }),
  ])
  return new Map([
    ...keys.map(({ id, name }) => [id, name] as const),
    ...videos.map(({ id, title }) => [id, title] as const),
    ...collections.map(({ id, name }) => [id, name] as const),
    ...endpoints.map(({ id, url }) => [id, url] as const),
    ...members.map(({ userId, user }) => [userId, user.email] as const),
  ])
}

/** Filter values for the account's audit log: the actors and actions that occur in it. */
export interface AuditFilterOptions {
  actors: ReadEntry['actor'][]
  actions: string[]
}

/**
 * Returns every actor and action in the account's audit log, by skip scans of the indexes, so that the cost does not depend on its length.
 */
export async function auditFilterOptions(ctx: AccountCtx): Promise<AuditFilterOptions> {
  const [actors, actions] = await Promise.all([
    query<{ value: string; email: string | null }>('audit-actors', distinct('actor'), [ctx.accountId]),
    query<{ value: string }>('audit-actions', distinct('action'), [ctx.accountId]),
  ])
  const names = await namesOf(
    ctx,
    actors.map(({ value }) => value),
  )
  return {
    actors: actors
      .map(({ value, email }) => actorOf({ actor: value, actorEmail: email }, names))
      .sort((a, b) => a.name.localeCompare(b.name)),
    actions: actions.map(({ value }) => value),
  }
}

const distinct = (column: 'actor' | 'action') => `
  WITH RECURSIVE found AS (
    (SELECT ${column} AS value, actor_email AS email FROM audit_entry WHERE account_id = $1 ORDER BY ${column}, id DESC LIMIT 1)
    UNION ALL
    SELECT next.value, next.email FROM found, LATERAL (
      SELECT ${column} AS value, actor_email AS email FROM audit_entry
      WHERE account_id = $1 AND ${column} > found.value ORDER BY ${column}, id DESC LIMIT 1) next
  )
  SELECT value, email FROM found`
