import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll } from 'vitest'
import { provide } from './settings.ts'

export interface Letter {
  to: string[]
  subject: string
  /** Its lines, unfolded. */
  text: string
}

/** Starts a mail server for the test file, to which SMTP_URL points from now on; accepted e-mails are in `letters`. */
export async function letterBox(): Promise<{ letters: Letter[]; url: string }> {
  const letters: Letter[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, { envelope }, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const [head = '', ...body] = Buffer.concat(parts).toString().split('\r\n\r\n')
        const quoted = body.join('\n\n').replaceAll('=\r\n', '')
        const bytes = quoted.replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
        const text = head.includes('quoted-printable') ? Buffer.from(bytes, 'latin1').toString() : quoted
        letters.push({ to: envelope.rcptTo.map(({ address }) => address), subject: /^Subject: (.*)$/m.exec(head)?.[1] ?? '', text })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  afterAll(async () => {
    provide({ SMTP_URL: '' })
    await new Promise<void>((resolve) => server.close(resolve))
  })
  const url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  provide({ SMTP_URL: url })
  return { letters, url }
}
