import { env } from '../../../platform/config/config.ts'
import { query } from '../../../platform/database/database.ts'
import { sendMail } from '../../../platform/mail.ts'
import { randomBase62, sha256 } from '../../../platform/secrets/crypto.ts'

/** Maximum number of sign-up e-mails to one mailbox per day, so that requests cannot flood it. */
const MAX_MAILS_A_DAY = 3

/* Also inserts a row for an e-mail that has a user: its link is not mailed, but the e-mails are counted. */
const BEGIN = `
  INSERT INTO sign_up_link (hash, email, expires_at) SELECT $2, $1, service_now() + interval '1 day'
  WHERE (SELECT count(*) FROM sign_up_link WHERE email = $1 AND expires_at > service_now()) < ${MAX_MAILS_A_DAY}
  RETURNING EXISTS (SELECT 1 FROM app_user WHERE email = $1) AS known`

/**
 * Mails a link that proves the address and creates an account or, where a user exists, a reminder to sign in. Runs as the job
 * `account.sign-up-mail`, so that the response to the form does not reveal which. Throws when the mail server refuses it.
 */
export async function mailSignUp({ email }: { email: string }): Promise<void> {
  const token = randomBase62(32)
  const [made] = await query<{ known: boolean }>('sign-up-link', BEGIN, [email, sha256(token)])
  if (!made) return
  const letter = made.known
    ? { subject: 'You already have a Reelgate account', text: forKnown() }
    : { subject: 'Finish signing up for Reelgate', text: forNew(token) }
  if (await sendMail({ to: email, ...letter })) return
  await query('sign-up-link-unsent', 'DELETE FROM sign_up_link WHERE hash = $1', [sha256(token)])
  throw new Error('the mail server rejected a sign-up email')
}

/** The token is in the URL fragment, which browsers do not send to servers. */
const forNew = (token: string) => `We received a request to create a Reelgate account with this email address.

Finish signing up and choose a password within 24 hours:
${env().BASE_URL}/sign-up/finish#${token}

If you did not request this, ignore this email. No account is created.
`

const forKnown = () => `We received a request to create a Reelgate account with this email address, but you already have one.

Sign in here:
${env().BASE_URL}/sign-in

If you forgot your password, reset it here:
${env().BASE_URL}/forgot-password

If you did not request this, ignore this email. Nothing has changed.
`
