import type { OperatorAction } from '../../operator-actions.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { log } from '../../platform/observe/log.ts'
import type { Snapshot } from './record.ts'

/** Who changes something of the installation: a user in the console or the support pages, or the command of the operator. */
export interface OperatorActor {
  /** `operator` for the command, `operator:usr_…` for the console, `support:usr_…` for support staff. */
  name: string
  email: string | null
}

interface OperatorChange {
  action: OperatorAction
  /** Id of the changed object. */
  subject: string
  before?: Snapshot
  after?: Snapshot
}

/** Writes a change into the log of the installation, in the same transaction, and a line into the security log. Snapshots hold no secret. */
export async function recordOperator(tx: Tx, { name, email }: OperatorActor, change: OperatorChange): Promise<void> {
  await tx.auditEntry.create({ data: { actor: name, actorEmail: email, ...change } })
  log().info({ operator: change.action, actor: name, subject: change.subject }, `operator: ${change.action}`)
}

export interface ListedOperatorEntry {
  id: string
  at: Date
  /** E-mail address; null for the command. */
  by: string | null
  action: string
  subject: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** Returns the newest entries of the log of the installation before `cursor`, at most `take`. */
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
