import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { hashing } from '#server/platform/argon2'
import { networksOf } from '#server/platform/client-address'
import { db } from '#server/platform/database'
import { authRoute } from '#server/testing/auth-route'
import { Browser } from '#server/testing/browser-jar'
import { cheapHash } from '#server/testing/cheap-hash'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { makeAccount } from '#server/testing/make'
import { provide } from '#server/testing/settings'
import { GET as ask, POST as tell } from '../../trpc/[trpc]/route'
import * as route from './route'

await testDatabase()
provide({ PASSWORD_THREADS: '1' })
const PASSWORD = 'correct horse battery'
const TOKEN = 'a'.repeat(32)
let base: string
let email: string

beforeAll(async () => {
  base = await dashboardHost({
    '/api/auth/': authRoute(route),
    '/api/trpc/': (request) => (request.method === 'GET' ? ask(request) : tell(request)),
  })
  const { actor } = await makeAccount()
  if (actor.kind !== 'user') throw new Error('an account is made with a user')
  email = actor.email
  await db().user.update({ where: { id: actor.userId }, data: { passwordHash: cheapHash(PASSWORD) } })
})

/** Occupies every slot for password hashing and the queue of one network, as a flood of sign-ins from its addresses does. */
let release: () => void = () => {}
let taken: Promise<unknown>
function flood([site]: readonly [string, string]) {
  const held = new Promise<void>((resolve) => (release = resolve))
  taken = Promise.all(Array.from({ length: 31 }, (_, at) => hashing().run([site, `address ${at}`], () => held)))
}
beforeEach(() => flood(networksOf('127.0.0.1')))
afterEach(async () => {
  release()
  await taken
})

const signIn = async (browser: Browser, password: string) => {
  const { csrfToken } = (await (await browser.ask('/api/auth/csrf')).json()) as { csrfToken: string }
  const body = new URLSearchParams({ email, password, csrfToken, json: 'true' })
  return browser.ask('/api/auth/callback/credentials', { method: 'POST', body, headers: { origin: base } })
}
const mutate = (browser: Browser, path: string, json: unknown) =>
  browser.ask(`/api/trpc/${path}`, {
    method: 'POST',
    body: JSON.stringify({ json }),
    headers: { origin: base, 'content-type': 'application/json' },
  })

it('a sign-in gets 429 with Retry-After and a message, counts as no attempt, and succeeds later', async () => {
  const browser = new Browser(base)
  for (let round = 0; round < 20; round++) {
    const answer = await signIn(browser, PASSWORD)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5'])
    expect(new URL(((await answer.json()) as { url: string }).url).searchParams.get('error')).toBe(
      'Too many requests of this account or network are waiting. Try again in 5 seconds.',
    )
  }
  release()
  await taken
  expect((await signIn(browser, PASSWORD)).status).toBe(200)
})

it('a sign-in has the next turn beside a flood from another network', async () => {
  release()
  await taken
  let ended = 0
  const site = networksOf('192.0.2.1')[0]
  const others = Array.from({ length: 31 }, (_, at) =>
    hashing().run([site, `address ${at}`], async () => {
      // The first one ends when the sign-in waits behind all the others.
      await expect.poll(() => hashing().load(networksOf('127.0.0.1')[0]).waiting).toBe(at === 0 ? 1 : 0)
      ended++
    }),
  )
  expect((await signIn(new Browser(base), PASSWORD)).status).toBe(200)
  expect(ended).toBeLessThan(31)
  await Promise.all(others)
})

it('links for a new password and for an account are checked before any hashing', async () => {
  const browser = new Browser(base)
  for (const path of ['user.resetPassword', 'account.finishSignUp'])
    expect((await mutate(browser, path, { token: TOKEN, password: 'another horse battery' })).status).toBe(404)
})

it('a sign-up gets Retry-After', async () => {
  const answer = await mutate(new Browser(base), 'account.signUp', { email: 'new@example.com', password: 'another horse battery' })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5'])
})
