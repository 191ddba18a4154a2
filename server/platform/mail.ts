import { env } from './config/config.ts'
import { mailHtml } from './mail-html.ts'
import { log } from './observe/log.ts'

/** One email. `subject` is one line. */
export interface Mail {
  to: string
  subject: string
  text: string
}

/** Limits the wait for a mail server that does not respond. */
const TIMEOUT_MS = 10_000

/** Returns whether this installation can send email (`SMTP_URL`). The dashboard also shows what emails say. */
export const isMailConfigured = () => env().SMTP_URL !== undefined

/**
 * Sends an email as text and as HTML. Resolves with whether the mail server accepted it. Never throws, since no action may fail because of
 * its email. Logs errors without the email and without the server's reply, as either may hold a secret.
 */
export async function sendMail({ to, subject, text }: Mail): Promise<boolean> {
  const { SMTP_URL, MAIL_FROM, BASE_URL } = env()
  if (!SMTP_URL) return false
  const from = MAIL_FROM ?? `Reelgate <no-reply@${new URL(BASE_URL).hostname}>`
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS, dnsTimeout: TIMEOUT_MS }
  // No part of an email may make the server read a file or an address.
  const safe = { disableFileAccess: true, disableUrlAccess: true }
  // Loaded here, because most processes send no email.
  const { createTransport } = await import('nodemailer')
  try {
    // An object: a string would be parsed as a list of several recipients.
    const transport = createTransport({ url: SMTP_URL, ...timeouts, ...safe })
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text, html: mailHtml({ subject, text }, BASE_URL) })
    return true
  } catch (error) {
    const { code, responseCode } = error as { code?: string; responseCode?: number }
    log().warn({ code, responseCode, server: new URL(SMTP_URL).host }, 'could not send an email')
    return false
  }
}

/** Sends an email in a job, which retries until the server accepts it. Throws when it does not. */
export async function sendMailOrThrow(letter: Pick<Mail, 'to' | 'subject' | 'text'>): Promise<void> {
  if (isMailConfigured() && !(await sendMail(letter))) throw new Error('the mail server rejected an email')
}
