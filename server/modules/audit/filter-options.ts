import type { AccountCtx } from '../../context.ts'
import { query } from '../../platform/database/database.ts'
import { actorOf, namesOf, type ReadEntry } from './read.ts'

/** Values for filters of the account's audit log: the actors and actions that occur in it. */
export interface AuditFilterOptions {
  actors: ReadEntry['actor'][]
  actions: string[]
}

/** Returns every actor and action in the account's audit log, by skip scans of the indexes, so the cost does not depend on its length. */
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
