import { beforeAll, describe, expect, it } from 'vitest'
import { sessionCookieName } from '#server/modules/identity/sessions/cookies'
import { db } from '#server/platform/database/database'
import { authRoute } from '#server/testing/auth-route'
import { Browser } from '#server/testing/browser-jar'
import { cheapHash } from '#server/testing/cheap-hash'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { makeAccount } from '#server/testing/make'
import { appRouter } from '#server/trpc/root'
import { GET as ask, POST as tell } from '../../trpc/[trpc]/route'
import * as route from './route'

await testDatabase()
const PASSWORD = 'correct horse battery'
const EVIL = 'https://evil.example'
let base: string
let browser: Browser
let userId: string

beforeAll(async () => {
  base = await dashboardHost({
    '/api/auth/': authRoute(route),
    '/api/trpc/': (request) => (request.method === 'GET' ? ask(request) : tell(request)),
  })
  const { actor } = await makeAccount()
  if (actor.kind !== 'user') throw new Error('an account is made with a user')
  userId = actor.userId
  await db().user.update({ where: { id: userId }, data: { passwordHash: cheapHash(PASSWORD) } })
  browser = new Browser(base)
  await browser.signIn(actor.email, PASSWORD)
  // A session to lose.
  await new Browser(base).signIn(actor.email, PASSWORD)
})

const multipart = () => {
  const form = new FormData()
  form.set('json', '{"name":"Taken over"}')
  return form
}
/** Bodies that another site's page can make a browser send with a user's cookies and without a preflight. */
const BODIES: Record<string, () => { body?: BodyInit; type?: string }> = {
  'a form': () => ({ body: new URLSearchParams({ name: 'Taken over' }) }),
  'text/plain that is JSON': () => ({ body: '{"json":{"name":"Taken over"}}', type: 'text/plain' }),
  multipart: () => ({ body: multipart() }),
  nothing: () => ({}),
}
/** Headers by which browsers mark a cross-site request; old browsers send `Origin` alone. */
const SITES: Record<string, Record<string, string>> = {
  'a browser of today': { origin: EVIL, 'sec-fetch-site': 'cross-site' },
  'an older browser': { origin: EVIL },
  'a page without an origin': { origin: 'null' },
  'a neighbour': { origin: EVIL, 'sec-fetch-site': 'same-site' },
}

const MUTATIONS = Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>)
  .filter(([, { _def }]) => _def.type === 'mutation')
  .map(([name]) => name)

const everything = async () => {
  const user = await db().user.findUniqueOrThrow({ where: { id: userId }, include: { sessions: { omit: { lastSeenAt: true } } } })
  const accounts = await db().account.findMany({ include: { apiKeys: true, videos: true } })
  return { user, accounts, audit: await db().auditEntry.count() }
}

describe.each(Object.keys(SITES))('another site, in %s', (site) => {
  it.each(Object.keys(BODIES))('changes nothing by sending %s to any procedure', async (kind) => {
    const before = await everything()
    for (const name of MUTATIONS) {
      const { body, type } = BODIES[kind]?.() ?? {}
      const headers = { ...SITES[site], ...(type ? { 'content-type': type } : {}) }
      const { status } = await browser.ask(`/api/trpc/${name}`, { method: 'POST', body, headers })
      expect([name, status >= 400]).toEqual([name, true])
    }
    expect(await everything()).toEqual(before)
  })

  it.each(Object.keys(BODIES))('neither signs in nor out by sending %s to the sign-in', async (kind) => {
    const before = await everything()
    for (const path of ['signout', 'callback/credentials', 'callback/second-step', 'signin/oidc', 'session', '_log']) {
      const { body, type } = BODIES[kind]?.() ?? {}
      const headers = { ...SITES[site], ...(type ? { 'content-type': type } : {}) }
      const answer = await browser.ask(`/api/auth/${path}`, { method: 'POST', body, headers })
      expect([path, answer.status, answer.headers.getSetCookie()]).toEqual([path, 403, []])
    }
    expect(await everything()).toEqual(before)
  })

  it.each(Object.keys(BODIES))('starts no upload with %s', async (kind) => {
    const { body, type } = BODIES[kind]?.() ?? {}
    const headers = { ...SITES[site], ...(type ? { 'content-type': type } : {}), 'tus-resumable': '1.0.0', 'upload-length': '9' }
    const answer = await browser.ask('/api/upload', { method: 'POST', body, headers })
    expect(answer.status).toBe(403)
    expect(answer.headers.has('location')).toBe(false)
  })
})

it('cannot sign a user out with a link or change data with a GET', async () => {
  const before = await everything()
  await browser.ask('/api/auth/signout', { headers: { 'sec-fetch-site': 'cross-site' } })
  for (const name of MUTATIONS) {
    const { status } = await browser.ask(`/api/trpc/${name}?input=%7B%22json%22%3A%7B%7D%7D`, {
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    expect([name, status]).toEqual([name, 405])
  }
  expect(await everything()).toEqual(before)
  expect(await browser.query('account.me')).toMatchObject({ status: 200 })
})

it('cannot sign in without the CSRF token of our page', async () => {
  const stranger = new Browser(base)
  const body = new URLSearchParams({ email: 'ada@example.com', password: PASSWORD, json: 'true', csrfToken: 'x' })
  await stranger.ask('/api/auth/callback/credentials', { method: 'POST', body, headers: { origin: base } })
  expect(stranger.cookies.has(sessionCookieName())).toBe(false)
})
