import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import type { Browser } from '../browser-jar.ts'
import { atFileEnd } from '../media/file-end.ts'

/** Claims of the provider about one of its users. */
export interface ProviderPerson {
  email?: string
  email_verified?: boolean | string
}

/** Starts an independent OpenID Connect provider, with users supplied by the test; it ends with the test file. */
export async function openIdProvider({ redirect }: { redirect: string }) {
  const people = new Map<string, ProviderPerson>()
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { client_id: 'reelgate', client_secret: 'a secret for tests of sign-in', redirect_uris: [redirect] }
  const provider = new Provider(issuer, {
    clients: [{ ...client, grant_types: ['authorization_code'], response_types: ['code'] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    cookies: { keys: ['a key for tests'] },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
  })
  server.on('request', provider.callback())
  atFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { issuer, clientId: client.client_id, clientSecret: client.client_secret, people }
}

const FORM = /<form[^>]* action="([^"]+)"[^>]*method="post"/i

/**
 * Signs in at the provider's own pages as `login`, from its first address to the redirect back. Resolves with the address of that redirect.
 */
export async function signInAtProvider(browser: Browser, start: string, login: string): Promise<string> {
  let address = start
  for (let page = 0; page < 20; page++) {
    if (address.startsWith(browser.base)) return address
    const response = await browser.ask(address)
    const location = response.headers.get('location')
    if (location) {
      address = new URL(location, address).href
      continue
    }
    const html = await response.text()
    const action = FORM.exec(html)?.[1]
    if (!action) throw new Error(`the provider shows no form: ${html.slice(0, 300)}`)
    const fields: Record<string, string> = html.includes('name="login"')
      ? { prompt: 'login', login, password: 'any' }
      : { prompt: 'consent' }
    const sent = await browser.ask(new URL(action, address).href, { method: 'POST', body: new URLSearchParams(fields) })
    address = new URL(sent.headers.get('location') ?? '', address).href
  }
  throw new Error('the provider sends the browser in circles')
}
