import { type AccountId, type Actor, actorName } from '../../context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { isMailConfigured } from '../../platform/mail.ts'
import { type CountedEvent, mailTemplateOf, type RecordedEvent } from '../../security-events.ts'
import { insertEntry, type Snapshot } from './record.ts'
import { type ClientOrigin, securityLine } from './security-line.ts'

/** One event concerning how a user signs in. */
export interface SecurityOccurrence {
  event: RecordedEvent
  /** The user concerned. */
  userId: string
  /** The actor, if not the user: `operator`, `system`, a member of staff. */
  by?: Actor
  from?: ClientOrigin
  before?: Snapshot
  after?: Snapshot
  /** Sends no email, because the page shows the user the same information. */
  suppressMail?: boolean
}

/** Maximum number of security emails to one user in 24 hours, so that an attacker cannot flood the mailbox. */
const MAX_MAILS_PER_DAY = 20

/**
 * Records a security event in its transaction: an entry in the audit log of each of the user's accounts, a line in the security log, and an
 * email to the user if `SECURITY_EVENTS` has one. Call it last, because the line is written before the transaction commits.
 */
export async function recordSecurity(tx: Tx, occurrence: SecurityOccurrence): Promise<void> {
  const { event, userId, by, from = {}, before, after } = occurrence
  const user = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { email: true } })
  // In account order everywhere to prevent deadlocks: each account's log is a chain whose head a transaction locks while it appends.
  const memberships = await tx.membership.findMany({ where: { userId }, orderBy: { accountId: 'asc' } })
  for (const { accountId, role } of memberships) {
    const actor = by ?? ({ kind: 'user', userId, email: user.email, role } as const)
    await insertEntry(tx, { accountId: accountId as AccountId, actor }, { action: event, subject: userId, before, after })
  }
  if (!occurrence.suppressMail) await prepareSecurityNotice(tx, { event, userId, from })
  securityLine(event, from, { userId, actor: by ? actorName(by) : userId, ...before, ...after })
}

interface SecurityMail {
  event: RecordedEvent | CountedEvent
  userId: string
  from: ClientOrigin
  attempts?: number
}

/** Stores an email for `mailSecurityNotices`, unless the user has reached the daily maximum. */
export async function prepareSecurityNotice(tx: Tx, { event, userId, from, attempts }: SecurityMail): Promise<void> {
  const template = mailTemplateOf(event)
  if (!template || !isMailConfigured()) return
  // Serializes concurrent calls, so that the second counts the row of the first.
  await tx.$queryRaw`SELECT 1 FROM app_user WHERE id = ${userId} FOR NO KEY UPDATE`
  await tx.$executeRaw`
    INSERT INTO security_notice (user_id, event, address, user_agent, attempts)
    SELECT ${userId}, ${event}, ${from.remote ?? null}, ${from.userAgent?.slice(0, 300) ?? null}, ${attempts ?? null}::int
    FROM (SELECT count(*) AS all, count(*) FILTER (WHERE event = ${event}) AS same FROM security_notice
      WHERE user_id = ${userId} AND at > service_now() - interval '1 day') sent
    WHERE sent.all < ${MAX_MAILS_PER_DAY} AND sent.same < ${template.maxPerDay}`
}
