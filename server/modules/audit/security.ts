import { type AccountId, type Actor, actorName } from '../../context.ts'
import type { Tx } from '../../platform/database.ts'
import { mailIsSet } from '../../platform/mail.ts'
import { type CountedEvent, letterOf, type RecordedEvent } from '../../security-events.ts'
import { enter, type Snapshot } from './record.ts'
import { securityLine, type Whence } from './security-line.ts'

/** One thing that happened to how a person signs in. */
export interface SecurityFact {
  event: RecordedEvent
  /** Whom it concerns. */
  userId: string
  /** Who did it, where it was not the person: `operator`, `system`, a member of staff. */
  by?: Actor
  from?: Whence
  before?: Snapshot
  after?: Snapshot
  /** Leaves the letter out, where the person is looking at what it would say. */
  quiet?: boolean
}

/** Letters about security, of all kinds, that one person gets in 24 hours: an attacker fills no mailbox. */
const MOST_LETTERS_A_DAY = 20

/**
 * Writes a security event in the transaction that makes it: an entry in the audit log of each of the person's accounts, a line in the security log,
 * and a letter to the person where `SECURITY_EVENTS` has one. Call it last: the line is written before the transaction commits.
 */
export async function recordSecurity(tx: Tx, fact: SecurityFact): Promise<void> {
  const { event, userId, by, from = {}, before, after } = fact
  const user = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { email: true } })
  // In one order everywhere: the log of each account is a chain, whose end a transaction holds while it adds to it.
  const memberships = await tx.membership.findMany({ where: { userId }, orderBy: { accountId: 'asc' } })
  for (const { accountId, role } of memberships) {
    const actor = by ?? ({ kind: 'user', userId, email: user.email, role } as const)
    await enter(tx, { accountId: accountId as AccountId, actor }, { action: event, subject: userId, before, after })
  }
  if (!fact.quiet) await prepareLetter(tx, { event, userId, from })
  securityLine(event, from, { userId, actor: by ? actorName(by) : userId, ...before, ...after })
}

interface Letter {
  event: RecordedEvent | CountedEvent
  userId: string
  from: Whence
  times?: number
}

/** Puts a letter where `mailSecurityNotices` finds it, unless the person had as many as a day allows. */
export async function prepareLetter(tx: Tx, { event, userId, from, times }: Letter): Promise<void> {
  const letter = letterOf(event)
  if (!letter || !mailIsSet()) return
  // Of two at once one sees what the other has written.
  await tx.$queryRaw`SELECT 1 FROM app_user WHERE id = ${userId} FOR NO KEY UPDATE`
  await tx.$executeRaw`
    INSERT INTO security_notice (user_id, event, address, user_agent, times)
    SELECT ${userId}, ${event}, ${from.remote ?? null}, ${from.userAgent?.slice(0, 300) ?? null}, ${times ?? null}::int
    FROM (SELECT count(*) AS all, count(*) FILTER (WHERE event = ${event}) AS same FROM security_notice
      WHERE user_id = ${userId} AND at > service_now() - interval '1 day') sent
    WHERE sent.all < ${MOST_LETTERS_A_DAY} AND sent.same < ${letter.mostADay}`
}
