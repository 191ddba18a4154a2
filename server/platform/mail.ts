import { createTransport } from 'nodemailer'
import { env } from './config.ts'
import { log } from './log.ts'

/** One letter. `subject` is one line; `html` stands beside `text`, never instead of it. */
export interface Mail {
  to: string
  subject: string
  text: string
  html?: string
}

/** A mail server that does not answer must not hold whoever waits. */
const PATIENCE_MS = 10_000

/** Whether this installation can send mail (`SMTP_URL`). What mail would carry is shown in the dashboard as well. */
export const mailIsSet = () => env().SMTP_URL !== undefined

/**
 * Sends a mail. Answers whether the mail server took it; never throws, for no action fails because of its mail. What went wrong
 * is logged without the letter and without the server's words: either may hold a secret.
 */
export async function sendMail({ to, subject, text, html }: Mail): Promise<boolean> {
  const { SMTP_URL, MAIL_FROM, BASE_URL } = env()
  if (!SMTP_URL) return false
  const from = MAIL_FROM ?? `Reelgate <no-reply@${new URL(BASE_URL).hostname}>`
  const waits = { connectionTimeout: PATIENCE_MS, greetingTimeout: PATIENCE_MS, socketTimeout: PATIENCE_MS, dnsTimeout: PATIENCE_MS }
  // Nothing of a letter may make the server read a file or an address.
  const safe = { disableFileAccess: true, disableUrlAccess: true }
  try {
    // An object, not a string: a string would be taken for a list of several people.
    await createTransport({ url: SMTP_URL, ...waits, ...safe }).sendMail({ from, to: { name: '', address: to }, subject, text, html })
    return true
  } catch (error) {
    const { code, responseCode } = error as { code?: string; responseCode?: number }
    log().warn({ code, responseCode, server: new URL(SMTP_URL).host }, 'a mail could not be sent')
    return false
  }
}

/** Sends a letter as a job, which is tried again until the server takes it. Throws when it does not. */
export async function sendLetter(letter: Pick<Mail, 'to' | 'subject' | 'text'>): Promise<void> {
  if (mailIsSet() && !(await sendMail(letter))) throw new Error('the mail server did not take a letter')
}
