import type { OperatorAction } from '../../operator-actions.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { log } from '../../platform/observe/log.ts'
import type { Snapshot } from './record.ts'

/** Who changes something in the installation: a user in the console or on support pages, or the operator's command. */
export interface OperatorActor {
  /** `operator` for the command, `operator:usr_…` for the console, `support:usr_…` for support staff. */
  name: string
  email: string | null
}

interface OperatorChange {
  action: OperatorAction
  /** ID of the changed object. */
  subject: string
  before?: Snapshot
  after?: Snapshot
}

/** Writes a change to the installation's log, in the same transaction, and a line to the security log. Snapshots contain no secret. */
export async function recordOperator(tx: Tx, { name, email }: OperatorActor, change: OperatorChange): Promise<void> {
  await tx.auditEntry.create({ data: { actor: name, actorEmail: email, ...change } })
  log().info({ operator: change.action, actor: name, subject: change.subject }, `operator: ${change.action}`)
}

export interface ListedOperatorEntry {
  id: string
  at: Date
  /** Email address. Null for the command. */
  by: string | null
  action: string
  subject: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** Returns the newest entries of the installation's log before `cursor`, at most `take`. */
export async function readOperatorLog(cursor: string | undefined, take: number): Promise<ListedOperatorEntry[]> {
  const rows = await db().auditEntry.findMany({
    where: { accountId: null, ...(cursor !== undefined && { id: { lt: BigInt(cursor) } }) },
    orderBy: { id: 'desc' },
    take,
  })
  return rows.map(({ id, createdAt, actorEmail, action, subject, before, after }) => ({
    ...{ id: String(id), at: createdAt, by: actorEmail, action, subject },
    before: before as Record<string, unknown> | null,
    after: after as Record<string, unknown> | null,
  }))
}
