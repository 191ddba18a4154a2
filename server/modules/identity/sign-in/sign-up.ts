import { ServiceError } from '../../../errors.ts'
import { JOBS } from '../../../jobs.ts'
import { env } from '../../../platform/config/config.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { enqueue } from '../../../platform/job-queue.ts'
import { isMailConfigured, sendMail } from '../../../platform/mail.ts'
import { newId, randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'
import { createAccount } from '../accounts/change-account.ts'
import { type ClientInfo, siteOf } from './client-ip.ts'
import { refuseCommonPassword } from './common-password.ts'
import { hashPassword } from './password-hash.ts'
import type { BeginSignUpInput, FinishSignUpInput, SignUpInput } from './schema.ts'
import { requireSignUpAllowed } from './sign-up-policy.ts'
import { throttleReset, throttleSignUp } from './throttle.ts'

/**
 * Creates an account (tenant), named after the email's local part, its user and owner membership in one transaction. Only without mail: the
 * email is not verified, and the response reveals one that is taken. Throws CONFLICT (taken, or mail is configured: `beginSignUp`),
 * FORBIDDEN under `SIGN_UP`, TOO_MANY_ATTEMPTS per address.
 */
export async function signUp(visitor: ClientInfo, { email, password }: SignUpInput): Promise<{ userId: string; accountId: string }> {
  if (isMailConfigured())
    throw new ServiceError('CONFLICT', { message: 'Sign-up starts with a link that we email you. Enter your email address to get one.' })
  requireSignUpAllowed('password', email)
  throttleSignUp(visitor.address)
  await refuseCommonPassword(password, email)
  const passwordHash = await hashPassword(password)
  const userId = newId('usr')
  try {
    return await db().$transaction(async (tx) => {
      await tx.user.create({ data: { id: userId, email, passwordHash } })
      return { userId, accountId: await createAccount(tx, { userId, email }) }
    })
  } catch (error) {
    // The unique index decides, not an earlier read: of two concurrent sign-ups, one gets the email.
    if ((error as { code?: string }).code !== 'P2002') throw error
    const message = 'An account with this email address already exists. Sign in, or use another email address.'
    throw new ServiceError('CONFLICT', { message, details: [{ in: 'body', path: 'email', message }] })
  }
}

/**
 * Enqueues the sign-up email: a link for a new user, or a notice that the account exists. Response and work are the same in both cases.
 * Errors: SERVICE_UNAVAILABLE if this installation sends no mail, FORBIDDEN under `SIGN_UP`, TOO_MANY_ATTEMPTS.
 */
export async function beginSignUp(visitor: ClientInfo, { email }: BeginSignUpInput): Promise<void> {
  if (!isMailConfigured())
    throw new ServiceError('SERVICE_UNAVAILABLE', { message: 'This installation cannot send email. Sign up with a password.' })
  requireSignUpAllowed('mail', email)
  throttleSignUp(visitor.address)
  await db().$transaction((tx) => enqueue(tx, JOBS['account.sign-up-mail'], { email }, { group: siteOf(visitor) }))
}

/**
 * Creates the account (tenant) and user of an emailed single-use link, with the given password. Returns the email to sign in with. Errors:
 * NOT_FOUND for a link that was used or has expired, CONFLICT if a user with this email now exists, FORBIDDEN under `SIGN_UP`,
 * TOO_MANY_ATTEMPTS.
 */
export async function finishSignUp(visitor: ClientInfo, { token, password }: FinishSignUpInput): Promise<{ email: string }> {
  throttleReset(visitor.address)
  // Before the password is hashed, because hashing is expensive.
  const [open] = await query<{ email: string }>('sign-up-link-open', OPEN, [sha256(token)])
  if (!open) throw noSuchLink()
  await refuseCommonPassword(password, open.email)
  const passwordHash = await hashPassword(password)
  const userId = newId('usr')
  try {
    return await db().$transaction(async (tx) => {
      const [link] = await tx.$queryRaw<{ email: string }[]>`
        DELETE FROM email_link WHERE hash = ${sha256(token)} AND purpose = 'sign-up' AND expires_at > service_now() RETURNING email`
      if (!link) throw noSuchLink()
      const { email } = link
      requireSignUpAllowed('mail', email)
      await tx.user.create({ data: { id: userId, email, passwordHash } })
      await markEmailVerified(tx, userId)
      await tx.emailLink.deleteMany({ where: { purpose: 'sign-up', email } })
      await createAccount(tx, { userId, email })
      return { email }
    })
  } catch (error) {
    // The holder of the link reads this mailbox, so the response may reveal that the user exists.
    if ((error as { code?: string }).code !== 'P2002') throw error
    throw new ServiceError('CONFLICT', { message: 'You already have an account with this email address. Sign in.' })
  }
}

const OPEN = `SELECT email FROM email_link WHERE hash = $1 AND purpose = 'sign-up' AND expires_at > service_now()`

const noSuchLink = () =>
  new ServiceError('NOT_FOUND', { message: 'This link was already used or has expired. Sign up again to get a new one.' })

/** Maximum number of sign-up emails to one mailbox per day, so that requests cannot flood it. */
const MAX_MAILS_A_DAY = 3

/* Also inserts a row for an email that has a user: its link is not sent, but the emails count. */
const BEGIN = `
  INSERT INTO email_link (hash, purpose, email, expires_at) SELECT $2, 'sign-up', $1, service_now() + interval '1 day'
  WHERE (SELECT count(*) FROM email_link WHERE purpose = 'sign-up' AND email = $1 AND expires_at > service_now()) < ${MAX_MAILS_A_DAY}
  RETURNING EXISTS (SELECT 1 FROM app_user WHERE email = $1) AS known`

/**
 * Emails a link that proves the address and creates an account or, if a user exists, a reminder to sign in. Runs as the job
 * `account.sign-up-mail`, so that the response to the form does not reveal which. Throws if the mail server refuses it.
 */
export async function mailSignUp({ email }: { email: string }): Promise<void> {
  const token = randomBase62(32)
  const [made] = await query<{ known: boolean }>('sign-up-link', BEGIN, [email, sha256(token)])
  if (!made) return
  const letter = made.known
    ? { subject: 'You already have a Reelgate account', text: forKnown() }
    : { subject: 'Finish signing up for Reelgate', text: forNew(token) }
  if (await sendMail({ to: email, ...letter })) return
  await query('sign-up-link-unsent', 'DELETE FROM email_link WHERE hash = $1', [sha256(token)])
  throw new Error('the mail server rejected a sign-up email')
}

/** The token is in the URL fragment, which browsers do not send to servers. */
const forNew = (token: string) => `We received a request to create a Reelgate account with this email address.

Finish signing up and choose a password within 24 hours:
${env().BASE_URL}/sign-up/finish#${token}

If you did not request this, ignore this email. We will not create an account.
`

const forKnown = () => `We received a request to create a Reelgate account with this email address, but you already have one.

Sign in here:
${env().BASE_URL}/sign-in

If you forgot your password, reset it here:
${env().BASE_URL}/forgot-password

If you did not request this, ignore this email. Nothing has changed.
`

/**
 * Records that this user receives mail at their address, or that a provider says so. Not for a link that others have seen, such as an
 * inviter or the operator.
 */
export async function markEmailVerified(tx: Tx, userId: string): Promise<void> {
  await tx.$executeRaw`UPDATE app_user SET email_verified_at = service_now() WHERE id = ${userId} AND email_verified_at IS NULL`
}
