import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Provider } from 'oidc-provider'
import { startSmtpServer } from '../server/testing/services/smtp-server.ts'

/** The settings that direct the server under test to the stand-ins; playwright.config.ts chooses the ports. */
export const standIns = {
  OIDC_ISSUER: `http://127.0.0.1:${process.env.REELGATE_E2E_OIDC_PORT}`,
  OIDC_CLIENT_ID: 'reelgate',
  OIDC_CLIENT_SECRET: 'a secret for tests of sign-in',
  OIDC_NAME: 'Studio ID',
}

/** The settings for e-mail. A server with e-mail creates accounts by e-mail alone, so it runs in addition to the main one. */
export const mailStandIn = { SMTP_URL: `smtp://127.0.0.1:${process.env.REELGATE_E2E_SMTP_PORT}` }

const letters = () => `${process.env.REELGATE_E2E_DATA}-mail`

/** Starts a mail server and an OpenID Connect provider for the whole run; returns a function that stops them. */
export default async function start(): Promise<() => Promise<void>> {
  mkdirSync(letters(), { recursive: true })
  let count = 0
  const mail = await startSmtpServer({
    port: Number(process.env.REELGATE_E2E_SMTP_PORT),
    onMail({ to, raw }) {
      writeFileSync(join(letters(), `${String(++count).padStart(4, '0')}-${to[0]}`), raw.replaceAll('=\r\n', ''))
    },
  })

  const people = createServer(provider().callback()).listen(Number(process.env.REELGATE_E2E_OIDC_PORT), '127.0.0.1')
  await once(people, 'listening')
  return async () => {
    people.closeAllConnections()
    people.close()
    await mail.stop()
    rmSync(letters(), { recursive: true, force: true })
  }
}

/** Starts a provider that accepts every name: the user who signs in as `ada` is ada@example.com. */
function provider(): Provider {
  const { OIDC_ISSUER, OIDC_CLIENT_ID: client_id, OIDC_CLIENT_SECRET: client_secret } = standIns
  const redirect_uris = [`http://localhost:${process.env.REELGATE_E2E_PORT}/api/auth/callback/oidc`]
  return new Provider(OIDC_ISSUER, {
    clients: [{ client_id, client_secret, redirect_uris, grant_types: ['authorization_code'], response_types: ['code'] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    cookies: { keys: ['a key for tests'] },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, email: `${sub}@example.com`, email_verified: true }),
    }),
  })
}

/** Returns the newest e-mail to an address that contains `part`, as it was sent; undefined while there is none. Others may follow it. */
export function letterTo(email: string, part: RegExp): string | undefined {
  return readdirSync(letters())
    .filter((file) => file.endsWith(`-${email}`))
    .sort()
    .reverse()
    .map((name) => readFileSync(join(letters(), name), 'utf8'))
    .find((letter) => part.test(letter))
}
