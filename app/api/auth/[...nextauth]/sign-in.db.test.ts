import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import { sessionCookieName } from '#server/modules/identity/sessions/cookies'
import { sessionFromCookies } from '#server/modules/identity/sessions/session'
import { deviceCookieName } from '#server/modules/identity/sign-in/known-device'
import { throttledSignIn } from '#server/modules/identity/sign-in/throttle'
import { serviceNow } from '#server/platform/database/clock'
import { db } from '#server/platform/database/database'
import { authRoute } from '#server/testing/auth-route'
import { Browser } from '#server/testing/browser-jar'
import { cheapHash } from '#server/testing/cheap-hash'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { makeAccount } from '#server/testing/make'
import { GET as ask, POST as tell } from '../../trpc/[trpc]/route'
import * as route from './route'

await testDatabase()
const PASSWORD = 'correct horse battery'
let base: string

beforeAll(async () => {
  base = await dashboardHost({
    '/api/auth/': authRoute(route),
    '/api/trpc/': (request) => (request.method === 'GET' ? ask(request) : tell(request)),
  })
})

/** Creates a user with a password. */
async function createUser(): Promise<{ email: string; userId: string }> {
  const { actor } = await makeAccount()
  if (actor.kind !== 'user') throw new Error('an account is made with a user')
  await db().user.update({ where: { id: actor.userId }, data: { passwordHash: cheapHash(PASSWORD) } })
  return actor
}

async function signedIn(email: string, password = PASSWORD, userAgent?: string): Promise<Browser> {
  const browser = new Browser(base, userAgent)
  expect(await browser.signIn(email, password)).toMatchObject({ status: 200, error: null })
  return browser
}

const isIn = async (browser: Browser) => (await browser.query('account.me')).status === 200

/** A user's authenticator app. The code of the next half minute is valid already, and for longest. */
class App {
  private readonly totp: TOTP
  constructor(secret: string) {
    this.totp = new TOTP({ secret: Secret.fromBase32(secret) })
  }
  code(ahead = 1): string {
    return this.totp.generate({ timestamp: serviceNow() + ahead * 30_000 })
  }
}

/** Creates a user with a second factor, in a separate browser. */
async function withTotp() {
  const { email, userId } = await createUser()
  const browser = await signedIn(email)
  const begun = await browser.mutate('user.beginTotp', { password: PASSWORD })
  const { secret } = begun.data as { secret: string; uri: string }
  const app = new App(secret)
  const confirmed = await browser.mutate('user.confirmTotp', { code: app.code(0) })
  const { recoveryCodes } = confirmed.data as { recoveryCodes: string[] }
  return { email, userId, browser, app, secret, recoveryCodes }
}

describe('a session', () => {
  it('is a new one after each sign-in, and the previous one is invalid', async () => {
    const { email, userId } = await createUser()
    const browser = await signedIn(email)
    const before = browser.cookie
    await browser.signIn(email, PASSWORD)
    expect(browser.cookie).not.toBe(before)
    expect(await sessionFromCookies(before)).toBeUndefined()
    expect(await isIn(browser)).toBe(true)
    expect(await db().userSession.count({ where: { userId } })).toBe(1)
  })

  it('is listed with its device and address, and can be ended from another one, alone or with all others', async () => {
    const { email } = await createUser()
    const here = await signedIn(email)
    const phone = await signedIn(
      email,
      PASSWORD,
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1',
    )
    const third = await signedIn(email)
    const { data } = await here.query('user.sessions')
    const sessions = data as { id: string; device: string; kind: string; address: string; here: boolean }[]
    expect(sessions).toHaveLength(3)
    expect(sessions.filter(({ here }) => here)).toMatchObject([{ device: 'Chrome on Linux', kind: 'computer', address: '127.0.0.1' }])
    const other = sessions.find(({ device }) => device === 'Safari on iPhone')
    expect(await here.mutate('user.endSession', { sessionId: other?.id })).toMatchObject({ status: 200 })
    expect([await isIn(phone), await isIn(third), await isIn(here)]).toEqual([false, true, true])
    expect(await here.mutate('user.endOtherSessions')).toMatchObject({ status: 200, data: { ended: 1 } })
    expect([await isIn(third), await isIn(here)]).toEqual([false, true])
  })

  it('ends in the database at sign-out: a copy of the cookie is invalid', async () => {
    const { email, userId } = await createUser()
    const browser = await signedIn(email)
    const copy = browser.cookie
    await browser.post('signout', {})
    expect(browser.cookies.has(sessionCookieName())).toBe(false)
    expect(await sessionFromCookies(copy)).toBeUndefined()
    expect(await db().userSession.count({ where: { userId } })).toBe(0)
  })

  it('is in a cookie that scripts and other sites cannot read', async () => {
    const { email } = await createUser()
    const browser = new Browser(base)
    const { csrfToken } = (await (await browser.ask('/api/auth/csrf')).json()) as { csrfToken: string }
    const body = new URLSearchParams({ email, password: PASSWORD, csrfToken, json: 'true' })
    const answer = await browser.ask('/api/auth/callback/credentials', { method: 'POST', body, headers: { origin: base } })
    const line = answer.headers.getSetCookie().find((cookie) => cookie.startsWith(sessionCookieName()))
    expect(line).toMatch(/; Path=\/;.*; HttpOnly; SameSite=Lax$/)
  })
})

describe('changing the password', () => {
  it('signs out all other sessions, and continues here under a new cookie', async () => {
    const { email } = await createUser()
    const [here, elsewhere] = [await signedIn(email), await signedIn(email)]
    const before = here.cookies.get(sessionCookieName())
    const input = { current: PASSWORD, password: 'another horse battery' }
    expect(await here.mutate('user.changePassword', input)).toMatchObject({ status: 200 })
    expect(here.cookies.get(sessionCookieName())).not.toBe(before)
    expect(await sessionFromCookies(`${sessionCookieName()}=${before}`)).toBeUndefined()
    expect([await isIn(here), await isIn(elsewhere)]).toEqual([true, false])
    expect(await new Browser(base).signIn(email, PASSWORD)).toMatchObject({ status: 401, error: 'CredentialsSignin' })
    await signedIn(email, 'another horse battery')
  })

  it('requires the current one and reports which field is wrong', async () => {
    const { email } = await createUser()
    const browser = await signedIn(email)
    const refused = await browser.mutate('user.changePassword', { current: 'wrong', password: 'another horse battery' })
    expect(refused).toMatchObject({
      status: 400,
      error: { data: { details: [{ path: 'current', message: 'Incorrect password.' }] } },
    })
    expect(await isIn(browser)).toBe(true)
  })
})

describe('a second factor', () => {
  it('is required after the password, and until then the session gives no access', async () => {
    const { email, userId, app } = await withTotp()
    const browser = await signedIn(email)
    expect(await isIn(browser)).toBe(false)
    const halfway = browser.cookies.get(sessionCookieName())
    expect(await browser.giveCode('000000')).toMatchObject({ status: 401, error: 'CredentialsSignin' })
    expect(await browser.giveCode(app.code())).toMatchObject({ status: 200, error: null })
    expect(await isIn(browser)).toBe(true)
    expect(browser.cookies.get(sessionCookieName())).not.toBe(halfway)
    const copy = new Browser(base)
    copy.cookies.set(sessionCookieName(), halfway ?? '')
    expect(await isIn(copy)).toBe(false)
    // So that the code is valid again, and the session alone is refused.
    await db().user.update({ where: { id: userId }, data: { totpLastStep: null } })
    expect(await copy.giveCode(app.code())).toMatchObject({ status: 401 })
  })

  it('accepts no code twice, not even concurrently', async () => {
    const { email, app } = await withTotp()
    const code = app.code()
    const browsers = await Promise.all([signedIn(email), signedIn(email), signedIn(email)])
    const answers = await Promise.all(browsers.map((browser) => browser.giveCode(code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await (await signedIn(email)).giveCode(code)).toMatchObject({ status: 401 })
  })

  it('accepts each recovery code once, in the forms that users type, and creates ten new ones', async () => {
    const { email, userId, recoveryCodes } = await withTotp()
    expect(new Set(recoveryCodes).size).toBe(10)
    const [first = '', second = ''] = recoveryCodes
    expect(await (await signedIn(email)).giveCode(` ${first.toUpperCase().replaceAll('-', ' ')}`)).toMatchObject({ status: 200 })
    expect(await (await signedIn(email)).giveCode(first)).toMatchObject({ status: 401 })
    expect((await db().user.findUniqueOrThrow({ where: { id: userId } })).recoveryCodes).toHaveLength(9)
    expect(await (await signedIn(email)).giveCode(second)).toMatchObject({ status: 200 })
  })

  it('stores nothing readable: the secret is encrypted, the codes are hashed', async () => {
    const { userId, secret, recoveryCodes } = await withTotp()
    const user = await db().user.findUniqueOrThrow({ where: { id: userId } })
    const stored = Buffer.from(user.totpSecret ?? [])
    expect(stored.includes(Buffer.from(Secret.fromBase32(secret).buffer))).toBe(false)
    for (const hash of user.recoveryCodes)
      for (const code of recoveryCodes) expect(Buffer.from(hash).toString('latin1')).not.toContain(code.replaceAll('-', ''))
  })

  it('throttles guesses and returns the wait, while a recovery code still signs its owner in', async () => {
    const { email, recoveryCodes } = await withTotp()
    const browser = await signedIn(email)
    const wrong = await Promise.all(Array.from({ length: 8 }, (_, at) => browser.giveCode(`00000${at}`)))
    expect(wrong.filter(({ error }) => error === 'CredentialsSignin').length).toBeLessThanOrEqual(5)
    expect(wrong.map(({ error }) => error).join()).toMatch(/Too many attempts\. Try again in \d+ seconds?\./)
    expect(await browser.giveCode(recoveryCodes[0] ?? '')).toMatchObject({ status: 200 })
  })

  it('is turned off only with the password and a code', async () => {
    const { email, browser, app } = await withTotp()
    const off = (password: string, code: string) => browser.mutate('user.turnOffTotp', { password, code })
    expect(await off('wrong', app.code())).toMatchObject({ status: 400, error: { data: { details: [{ path: 'password' }] } } })
    expect(await off(PASSWORD, '000000')).toMatchObject({ status: 400, error: { data: { details: [{ path: 'code' }] } } })
    expect(await off(PASSWORD, app.code())).toMatchObject({ status: 200 })
    expect(await isIn(await signedIn(email))).toBe(true)
  })

  it('ends other sessions when turned on, and cannot be set up over an active one', async () => {
    const { email } = await createUser()
    const [here, elsewhere] = [await signedIn(email), await signedIn(email)]
    const { secret } = (await here.mutate('user.beginTotp', { password: PASSWORD })).data as { secret: string }
    expect(await isIn(await signedIn(email))).toBe(true)
    await here.mutate('user.confirmTotp', { code: new App(secret).code() })
    expect([await isIn(here), await isIn(elsewhere)]).toEqual([true, false])
    expect(await here.mutate('user.beginTotp', { password: PASSWORD })).toMatchObject({ status: 409 })
  })
})

describe('a device with an earlier sign-in', () => {
  it('signs in while its address guesses without end; only a complete sign-in makes a device known', async () => {
    const { email } = await createUser()
    const browser = await signedIn(email)
    expect(browser.cookies.has(deviceCookieName())).toBe(true)
    // The queue is full of attempts from this address, which wait for up to half a minute.
    for (let round = 0; round < 100; round++)
      void throttledSignIn(email, { address: '127.0.0.1', known: undefined }, async () => undefined).catch(() => {})
    const elsewhere = new Browser(base)
    expect((await elsewhere.signIn(email, PASSWORD)).error).toMatch(/^Too many attempts\. Try again in \d+ seconds?\.$/)
    expect(elsewhere.cookies.has(deviceCookieName())).toBe(false)
    expect(await browser.signIn(email, PASSWORD)).toMatchObject({ status: 200, error: null })
  })

  it('is not known after the password alone where a second factor is required', async () => {
    const { email, app } = await withTotp()
    const browser = await signedIn(email)
    expect(browser.cookies.has(deviceCookieName())).toBe(false)
    await browser.giveCode(app.code())
    expect(browser.cookies.has(deviceCookieName())).toBe(true)
  })
})

describe('a refused visitor', () => {
  it('learns nothing about which users exist: the bytes are the same for every error', async () => {
    const { email } = await createUser()
    const { email: protectedBy } = await withTotp()
    const { actor } = await makeAccount()
    await db().user.update({ where: { id: actor.kind === 'user' ? actor.userId : '' }, data: { passwordHash: null } })
    const emails = ['unknown@example.com', email, protectedBy, actor.kind === 'user' ? actor.email : '']
    const answers = await Promise.all(
      emails.map(async (one) => {
        const browser = new Browser(base)
        const { csrfToken } = (await (await browser.ask('/api/auth/csrf')).json()) as { csrfToken: string }
        const body = new URLSearchParams({ email: one, password: 'wrong horse battery', csrfToken, json: 'true' })
        const answer = await browser.ask('/api/auth/callback/credentials', { method: 'POST', body, headers: { origin: base } })
        const names = [...answer.headers.keys()].filter((name) => name !== 'date').sort()
        return JSON.stringify([answer.status, names, await answer.text()])
      }),
    )
    expect(new Set(answers).size).toBe(1)
  })
})
