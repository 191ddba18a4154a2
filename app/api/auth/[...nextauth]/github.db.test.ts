import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { db } from '#server/platform/database/database'
import { authRoute } from '#server/testing/auth-route'
import { Browser } from '#server/testing/browser-jar'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { provide } from '#server/testing/settings'
import { GET as ask } from '../../trpc/[trpc]/route'
import * as route from './route'

await testDatabase()
const SECRET = 'a secret for tests of sign-in'
/** The e-mails that GitHub returns for the user who signs in; a code is valid for one token, a token for one response. */
let emails: { email: string; primary: boolean; verified: boolean }[] = []
const codes = new Map<string, { redirect: string | null; challenge: string | null }>()

const gitHub = createServer((req, res) => {
  const { pathname, searchParams: query } = new URL(req.url ?? '/', 'http://github.invalid')
  const json = (value: unknown, status = 200) => res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (pathname === '/login/oauth/authorize') {
    const code = `code-${codes.size}`
    codes.set(code, { redirect: query.get('redirect_uri'), challenge: query.get('code_challenge') })
    const back = `${query.get('redirect_uri')}?${new URLSearchParams({ code, state: query.get('state') ?? '' })}`
    return void res.writeHead(302, { location: back }).end()
  }
  if (pathname === '/login/oauth/access_token') {
    let text = ''
    req.on('data', (part) => (text += part))
    req.on('end', () => {
      const form = new URLSearchParams(text)
      const given = codes.get(form.get('code') ?? '')
      const basic = Buffer.from(req.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString()
      const known = basic === `reelgate:${encodeURIComponent(SECRET).replaceAll('%20', '+')}` || form.get('client_secret') === SECRET
      if (!given || given.redirect !== form.get('redirect_uri') || !form.get('code_verifier') || !known) return json({ error: 'bad' }, 400)
      codes.delete(form.get('code') ?? '')
      json({ access_token: 'gho_token', token_type: 'bearer', scope: 'read:user,user:email' })
    })
    return
  }
  if (req.headers.authorization !== 'Bearer gho_token') return json({ message: 'Bad credentials' }, 401)
  if (pathname === '/api/v3/user') return json({ id: 583_231, login: 'octocat', email: 'public@example.com' })
  if (pathname === '/api/v3/user/emails') return json(emails)
  json({}, 404)
})

let base: string
beforeAll(async () => {
  gitHub.listen(0, '127.0.0.1')
  await once(gitHub, 'listening')
  const GITHUB_URL = `http://127.0.0.1:${(gitHub.address() as AddressInfo).port}`
  base = await dashboardHost({
    '/api/auth/': authRoute(route),
    '/api/trpc/': ask,
  })
  provide({ GITHUB_URL, GITHUB_CLIENT_ID: 'reelgate', GITHUB_CLIENT_SECRET: SECRET })
})
afterAll(() => void gitHub.close())

async function comeBack(): Promise<{ browser: Browser; location: string }> {
  const browser = new Browser(base)
  const { url } = await browser.post('signin/github', { callbackUrl: '/' })
  expect(url).toMatch(/\/login\/oauth\/authorize\?.*code_challenge=/)
  const callback = (await browser.ask(url)).headers.get('location') ?? ''
  const location = (await browser.ask(callback)).headers.get('location') ?? ''
  return { browser, location }
}

it.each([
  ['has not verified', [{ email: 'octo@example.com', primary: true, verified: false }]],
  ['calls secondary', [{ email: 'octo@example.com', primary: false, verified: true }]],
  ['does not tell', []],
])('rejects an e-mail that GitHub %s, whatever the profile shows', async (_, addresses) => {
  emails = addresses
  const { browser, location } = await comeBack()
  expect(location).toBe('/sign-in?error=email-unverified')
  expect((await browser.query('account.me')).status).toBe(401)
  expect(await db().user.count()).toBe(0)
})

it('creates an account for the primary e-mail that GitHub has verified, and recognizes the user by GitHub’s id', async () => {
  emails = [
    { email: 'other@example.com', primary: false, verified: true },
    { email: 'Octo@Example.com', primary: true, verified: true },
  ]
  expect((await comeBack()).location).toBe(`${base}/`)
  const { browser } = await comeBack()
  expect((await browser.query('account.me')).data).toMatchObject({ email: 'octo@example.com' })
  expect(await db().userIdentity.findMany()).toMatchObject([{ subject: '583231', provider: 'github', email: 'octo@example.com' }])
})
