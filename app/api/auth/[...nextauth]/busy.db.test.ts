import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { services } from '#server/platform/container'
import { db } from '#server/platform/database/database'
import { networksOf } from '#server/platform/network/client-address'
import { hashing } from '#server/platform/secrets/argon2'
import { authRoute } from '#server/testing/auth-route'
import { Browser } from '#server/testing/browser-jar'
import { cheapHash } from '#server/testing/cheap-hash'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { makeAccount } from '#server/testing/make'
import { renew } from '#server/testing/settings'
import { GET as ask, POST as tell } from '../../trpc/[trpc]/route'
import * as route from './route'

await testDatabase()
services().passwordThreads = 1
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

/** Occupies every slot for password hashing and the queue of an address, as a flood of sign-ins from it does. */
let release: () => void = () => {}
let taken: Promise<unknown>
beforeEach(() => {
  // It remembers from where users signed in.
  renew('signInThrottle')
  const held = new Promise<void>((resolve) => (release = resolve))
  taken = Promise.all(Array.from({ length: 31 }, () => hashing().run(networksOf('127.0.0.1'), () => held)))
})
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

it('a sign-in from an address from which a user signed in before has a queue of its own', async () => {
  services().signInThrottle.prove('127.0.0.1')
  const asked = signIn(new Browser(base), PASSWORD)
  await expect.poll(() => hashing().load('known'), { timeout: 60_000 }).toEqual({ running: 0, waiting: 1 })
  release()
  expect((await asked).status).toBe(200)
})

it('a sign-in gets 429 with Retry-After and a message, counts as no attempt, and succeeds later', { tags: ['deep'] }, async () => {
  const browser = new Browser(base)
  for (let round = 0; round < 20; round++) {
    const answer = await signIn(browser, PASSWORD)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5'])
    expect(new URL(((await answer.json()) as { url: string }).url).searchParams.get('error')).toBe(
      'Too many requests from this account or network are waiting. Try again in 5 seconds.',
    )
  }
  release()
  await taken
  expect((await signIn(browser, PASSWORD)).status).toBe(200)
})

it('a sign-in gets its turn during a flood from another network', async () => {
  release()
  await taken
  const site = networksOf('192.0.2.1')[0]
  const ends: (() => void)[] = []
  const others = Array.from({ length: 31 }, (_, at) =>
    hashing().run([site, `address ${at}`], () => new Promise<void>((resolve) => void ends.push(resolve))),
  )
  const asked = signIn(new Browser(base), PASSWORD)
  await expect.poll(() => hashing().load(networksOf('127.0.0.1')[0]).waiting, { timeout: 60_000 }).toBe(1)
  // Two turns of the flood end at most, that which runs and one more.
  ends[0]?.()
  void Promise.resolve(others[0]).then(() => ends[1]?.())
  expect((await asked).status).toBe(200)
  expect(hashing().load(site).waiting).toBeGreaterThan(27)
  const rest = Promise.all(others)
  while (hashing().load(site).running > 0) {
    for (const end of ends) end()
    await new Promise(setImmediate)
  }
  await rest
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
