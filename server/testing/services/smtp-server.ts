import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** An e-mail as it arrived. */
export interface ReceivedMail {
  from: string
  to: string[]
  /** Headers and body, encoded as sent. */
  raw: string
}

interface Options {
  /** Chosen by the system if undefined. */
  port?: number
  /** Requires this login; undefined accepts mail without one. */
  login?: { username: string; password: string }
  /** Receives each e-mail; an error that it throws refuses the e-mail. */
  onMail(mail: ReceivedMail): void
}

/** Starts a mail server on 127.0.0.1. Returns its port, and a function that stops it. */
export async function startSmtpServer({ port = 0, login, onMail }: Options): Promise<{ port: number; stop: () => Promise<void> }> {
  const server = new SMTPServer({
    disabledCommands: login ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    onAuth: ({ username, password }, _, done) =>
      username === login?.username && password === login?.password
        ? done(null, { user: username })
        : done(new Error(`no such ${password}`)),
    onData(stream, { envelope: { mailFrom, rcptTo } }, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        try {
          const from = mailFrom ? mailFrom.address : ''
          onMail({ from, to: rcptTo.map(({ address }) => address), raw: Buffer.concat(parts).toString() })
          done()
        } catch (error) {
          done(error as Error)
        }
      })
    },
  })
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return { port: (server.server.address() as AddressInfo).port, stop: () => new Promise((resolve) => server.close(() => resolve())) }
}
