import { atFileEnd } from './media/file-end.ts'
import { startSmtpServer } from './services/smtp-server.ts'
import { provide } from './settings.ts'

export interface ParsedMail {
  to: string[]
  subject: string
  /** Its lines, unfolded. */
  text: string
}

/** Starts a mail server for the test file, which SMTP_URL points to from now on. Accepted emails are in `mails`. */
export async function startMailbox(): Promise<{ mails: ParsedMail[]; url: string }> {
  const mails: ParsedMail[] = []
  const { port, stop } = await startSmtpServer({
    onMail({ to, raw }) {
      const [top = ''] = raw.split('\r\n\r\n', 1)
      // The text part comes first; the other one is the same as HTML.
      const plain = raw.slice(raw.indexOf('Content-Type: text/plain'))
      const [head = '', ...body] = plain.slice(0, plain.indexOf('\r\n----')).split('\r\n\r\n')
      const quoted = body.join('\n\n').replaceAll('=\r\n', '')
      const bytes = quoted.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
      const text = head.includes('quoted-printable') ? Buffer.from(bytes, 'latin1').toString() : quoted
      mails.push({ to, subject: /^Subject: (.*)$/m.exec(top)?.[1] ?? '', text })
    },
  })
  atFileEnd(async () => {
    provide({ SMTP_URL: '' })
    await stop()
  })
  const url = `smtp://127.0.0.1:${port}`
  provide({ SMTP_URL: url })
  return { mails, url }
}
