import type { AccountId } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { env } from '../../../platform/config/config.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { isMailConfigured, sendMail } from '../../../platform/mail.ts'
import { randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'
import { record } from '../../audit/record.ts'
import { recordSecurity } from '../../audit/security.ts'
import { email as emailSchema } from '../accounts/schema.ts'
import { invalidField } from '../sessions/reauthenticate.ts'
import { endOthers } from '../sessions/sessions.ts'
import { type ClientInfo, siteOf } from './client-ip.ts'
import { refuseCommonPassword } from './common-password.ts'
import { hashPassword } from './password-hash.ts'
import { type OtherMethods, removeOtherMethods, unverifiedMethods } from './providers.ts'
import type { RequestResetInput, ResetPasswordInput, ResetTokenInput } from './schema.ts'
import { markEmailVerified } from './sign-up.ts'
import { throttleReset, throttleResetRequest } from './throttle.ts'

/**
 * Sets a new password with a single-use link and ends every session of the user. Signing in still requires the second factor. An emailed
 * link verifies the address; if it was not verified before, `otherMethods` keeps or removes earlier second factors and providers. Errors:
 * NOT_FOUND (used, replaced or expired), INVALID_REQUEST without `otherMethods`, TOO_MANY_ATTEMPTS.
 */
export async function resetPassword(visitor: ClientInfo, { token, password, otherMethods }: ResetPasswordInput): Promise<void> {
  throttleReset(visitor.address)
  // Before the password is hashed, because hashing is expensive.
  const [open] = await query<{ email: string }>('password-reset-open', OPEN, [sha256(token)])
  if (!open) throw noSuchReset()
  await refuseCommonPassword(password, open.email)
  const passwordHash = await hashPassword(password)
  await db().$transaction(async (tx) => {
    const [reset] = await tx.$queryRaw<{ userId: string; email: string; byMail: boolean }[]>`
      DELETE FROM email_link l USING app_user u
      WHERE l.hash = ${sha256(token)} AND l.purpose = 'password-reset' AND l.expires_at > service_now() AND u.email = l.email
        AND u.suspended_at IS NULL
      RETURNING u.id AS "userId", u.email, l.by_mail AS "byMail"`
    if (!reset) throw noSuchReset()
    const { userId, email, byMail } = reset
    const chosen = (await methodsToChoose(tx, reset)) && otherMethods
    if (chosen === undefined) throw invalidField('otherMethods', 'Choose whether to keep your other sign-in methods.')
    if (chosen === 'remove') await removeOtherMethods(tx, userId)
    if (byMail) await markEmailVerified(tx, userId)
    await tx.user.update({ where: { id: userId }, data: { passwordHash } })
    await tx.emailLink.deleteMany({ where: { purpose: 'password-reset', email } })
    const ended = await endOthers(tx, userId, undefined)
    const after = { sessionsEnded: ended, ...(chosen && { otherMethods: chosen }) }
    await recordSecurity(tx, { event: 'user.password.reset', userId, from: visitor, after })
  })
}

const OPEN = `
  SELECT email FROM email_link JOIN app_user USING (email)
  WHERE hash = $1 AND purpose = 'password-reset' AND expires_at > service_now() AND suspended_at IS NULL`

/**
 * Creates a single-use password reset link that is valid for one hour. Only for the operator, who delivers it if mail is not configured. It
 * does not prove the address. Recorded in the audit log of each of the user's accounts. Errors: INVALID_REQUEST for an invalid email
 * address, NOT_FOUND for an unknown one.
 */
export async function makeResetLink(input: { email: string }): Promise<{ url: string; expiresAt: Date }> {
  const email = emailSchema.safeParse(input.email)
  if (!email.success) throw new ServiceError('INVALID_REQUEST', { message: email.error.issues[0]?.message })
  const token = randomBase62(32)
  return db().$transaction(async (tx) => {
    const user = await tx.user.findUnique({ where: { email: email.data }, select: { id: true } })
    if (!user) throw new ServiceError('NOT_FOUND', { message: `No user has the email address ${email.data}.` })
    const { id: userId } = user
    const [{ expiresAt }] = await tx.$queryRaw<[{ expiresAt: Date }]>`
      INSERT INTO email_link (hash, purpose, email, expires_at, by_mail)
      VALUES (${sha256(token)}, 'password-reset', ${email.data}, service_now() + interval '1 hour', false)
      RETURNING expires_at AS "expiresAt"`
    const entry = { action: 'user.password.link', subject: userId, after: { expiresAt: expiresAt.toISOString() } } as const
    for (const { accountId } of await tx.membership.findMany({
      where: { userId },
      select: { accountId: true },
      orderBy: { accountId: 'asc' },
    }))
      await record(tx, { accountId: accountId as AccountId, actor: { kind: 'operator' } }, entry)
    return { url: `${env().BASE_URL}/reset-password#${token}`, expiresAt }
  })
}

/** Maximum number of open links per user, so that requests cannot flood a mailbox. Each link is valid for one hour. */
const MAX_OPEN_LINKS = 3

const BEGIN = `
  INSERT INTO email_link (hash, purpose, email, expires_at)
  SELECT $2, 'password-reset', email, service_now() + interval '1 hour' FROM app_user WHERE email = $1 AND suspended_at IS NULL
    AND (SELECT count(*) FROM email_link WHERE purpose = 'password-reset' AND email = $1 AND expires_at > service_now()) < ${MAX_OPEN_LINKS}
  RETURNING email`

/**
 * Emails a password reset link if a user has this email. Runs as the job `user.reset-mail`, so that neither the response nor its time
 * reveals whether a user exists. Throws if the mail server refuses it.
 */
export async function mailPasswordReset({ email }: { email: string }): Promise<void> {
  const token = randomBase62(32)
  const inserted = await query('password-reset-begin', BEGIN, [email, sha256(token)])
  if (inserted.length === 0) return
  if (await sendMail({ to: email, subject: 'Reset your Reelgate password', text: mailText(token) })) return
  await query('password-reset-unsent', 'DELETE FROM email_link WHERE hash = $1', [sha256(token)])
  throw new Error('the mail server rejected a password reset email')
}

/** The token is in the URL fragment, which browsers do not send to servers. */
const mailText = (token: string) => `We received a request to reset the password of your Reelgate login.

Choose a new password within one hour:
${env().BASE_URL}/reset-password#${token}

If you did not request this, ignore this email. Your password stays the same.
`

/**
 * Enqueues a password reset email. Does not look up the user, so that response and work are the same for every email. Errors:
 * SERVICE_UNAVAILABLE if this installation sends no mail, TOO_MANY_ATTEMPTS.
 */
export async function requestPasswordReset(visitor: ClientInfo, { email }: RequestResetInput): Promise<void> {
  if (!isMailConfigured())
    throw new ServiceError('SERVICE_UNAVAILABLE', { message: 'This installation cannot send email. Contact its operator.' })
  throttleResetRequest(visitor.address)
  await db().$transaction((tx) => enqueue(tx, JOBS['user.reset-mail'], { email }, { group: siteOf(visitor) }))
}

const noSuchReset = () => new ServiceError('NOT_FOUND', { message: 'This link was already used or has expired. Request a new one.' })

/**
 * Returns the choice that a password reset link requires: whether to keep or remove `otherMethods`, null if there are none. Changes
 * nothing. Errors: NOT_FOUND for a link that was used, replaced or has expired, TOO_MANY_ATTEMPTS.
 */
export async function getPasswordReset(visitor: ClientInfo, { token }: ResetTokenInput): Promise<{ otherMethods: OtherMethods | null }> {
  throttleReset(visitor.address)
  const [link] = await db().$queryRaw<{ userId: string; byMail: boolean }[]>`
    SELECT u.id AS "userId", l.by_mail AS "byMail" FROM email_link l JOIN app_user u USING (email)
    WHERE l.hash = ${sha256(token)} AND l.purpose = 'password-reset' AND l.expires_at > service_now() AND u.suspended_at IS NULL`
  if (!link) throw noSuchReset()
  return { otherMethods: await methodsToChoose(db(), link) }
}

/** Only an emailed link verifies the address, and only its owner may remove what was set up before the address was verified. */
async function methodsToChoose(on: Pick<Tx, 'user'>, link: { userId: string; byMail: boolean }): Promise<OtherMethods | null> {
  return (link.byMail && (await unverifiedMethods(on, link.userId))) || null
}
