import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { JOBS } from '#server/jobs'
import { invite } from '#server/modules/identity/members/invite'
import { signInWith } from '#server/modules/identity/sign-in/identity-sign-in'
import { mailSignUp } from '#server/modules/identity/sign-in/sign-up'
import { signUpOffer, signUpWarning } from '#server/modules/identity/sign-in/sign-up-policy'
import { env } from '#server/platform/config/config'
import { db } from '#server/platform/database/database'
import { startQueue, stopQueue } from '#server/platform/job-queue'
import { newId } from '#server/platform/secrets/crypto'
import { authRoute } from '#server/testing/auth-route'
import { Browser } from '#server/testing/browser-jar'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { startMailbox } from '#server/testing/mailbox'
import { makeAccount } from '#server/testing/make'
import { openIdProvider, signInAtProvider } from '#server/testing/services/openid-provider'
import { provide } from '#server/testing/settings'
import { GET as ask, POST as tell } from '../../trpc/[trpc]/route'
import * as route from './route'

await testDatabase()
const { mails, url: mailServer } = await startMailbox()
const PASSWORD = 'correct horse battery'
const MODES = ['open', 'invitation', 'domains', 'sso', 'off'] as const
type Mode = (typeof MODES)[number]
let base: string
let provider: Awaited<ReturnType<typeof openIdProvider>>

beforeAll(async () => {
  base = await dashboardHost({
    '/api/auth/': authRoute(route),
    '/api/trpc/': (request) => (request.method === 'GET' ? ask(request) : tell(request)),
  })
  provider = await openIdProvider({ redirect: `${base}/api/auth/callback/oidc` })
  provide({ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: provider.clientId, OIDC_CLIENT_SECRET: provider.clientSecret })
  await startQueue(JOBS)
})
afterAll(stopQueue)
beforeEach(() => provide({ SIGN_UP: '', SMTP_URL: '' }))
/** The value of a mode. */
const given = (mode: string) => ({ SIGN_UP: mode === 'domains' ? 'example.com,example.org' : mode })

let people = 0
const emailAt = (domain: string) => `new${++people}@${domain}`
const isHere = async (email: string) => (await db().user.count({ where: { email } })) === 1
const tokenIn = (text = '') => /#([0-9A-Za-z]{32})/.exec(text)?.[1] ?? ''

/** Each sign-up method, run to the end by a new user over HTTP. */
const WAYS: Record<string, (email: string) => Promise<unknown>> = {
  'the form': (email) => new Browser(base).mutate('account.signUp', { email, password: PASSWORD }),
  'a mailed link': async (email) => {
    provide({ SMTP_URL: mailServer })
    const browser = new Browser(base)
    const begun = await browser.mutate('account.beginSignUp', { email })
    if (begun.status !== 200) return begun
    await mailSignUp({ email })
    return browser.mutate('account.finishSignUp', { token: tokenIn(mails.at(-1)?.text), password: PASSWORD })
  },
  'an invitation': async (email) => {
    const { url } = await invite(await makeAccount(), { email, role: 'VIEWER' })
    return new Browser(base).mutate('team.join', { token: tokenIn(url ?? ''), password: PASSWORD })
  },
  'single sign-on': async (email) => {
    const browser = new Browser(base)
    provider.people.set(email, { email, email_verified: true })
    const { url } = await browser.post('signin/oidc', { callbackUrl: '/' })
    return browser.ask(await signInAtProvider(browser, url, email))
  },
  'another provider': (email) =>
    signInWith({ address: '192.0.2.1' }, { provider: 'github', issuer: 'https://github.com', subject: email, email, emailVerified: true }),
}
/** Which users are admitted: with an address at a listed domain, and at another. */
const both = [true, true]
const listed = [true, false]
const none = [false, false]
const LET_IN: Record<Mode, Record<string, boolean[]>> = {
  open: { 'the form': both, 'a mailed link': both, 'an invitation': both, 'single sign-on': both, 'another provider': both },
  invitation: { 'the form': none, 'a mailed link': none, 'an invitation': both, 'single sign-on': none, 'another provider': none },
  domains: { 'the form': none, 'a mailed link': listed, 'an invitation': both, 'single sign-on': listed, 'another provider': listed },
  sso: { 'the form': none, 'a mailed link': none, 'an invitation': none, 'single sign-on': both, 'another provider': none },
  off: { 'the form': none, 'a mailed link': none, 'an invitation': none, 'single sign-on': none, 'another provider': none },
}

describe.each(MODES)('SIGN_UP=%s', (mode) => {
  it.each(Object.keys(WAYS))('by %s', async (way) => {
    for (const [at, domain] of ['example.org', 'sub.example.com'].entries()) {
      provide(given(mode))
      const email = emailAt(domain)
      await WAYS[way]?.(email)
      expect(await isHere(email), email).toBe(LET_IN[mode][way]?.[at])
    }
  })

  it('lets a user in who signed up before', async () => {
    const email = emailAt('elsewhere.example')
    await WAYS['the form']?.(email)
    const byProvider = emailAt('elsewhere.example')
    await WAYS['single sign-on']?.(byProvider)
    provide(given(mode))
    const browser = new Browser(base)
    expect(await browser.signIn(email, PASSWORD)).toMatchObject({ error: null })
    expect((await browser.query('account.me')).status).toBe(200)
    expect(await WAYS['single sign-on']?.(byProvider)).toMatchObject({ status: 302, headers: expect.anything() })
    expect(await db().userSession.count({ where: { user: { email: byProvider } } })).toBe(2)
  })
})

describe('the messages', () => {
  it.each([
    ['invitation', 'account.signUp', 'requires an invitation'],
    ['off', 'account.signUp', 'is off'],
    ['sso', 'account.signUp', 'single sign-on'],
    ['domains', 'account.signUp', 'cannot send email'],
  ])('under %s, %s states %s', async (mode, procedure, sentence) => {
    provide(given(mode))
    const refused = await new Browser(base).mutate(procedure, { email: emailAt('example.com'), password: PASSWORD })
    expect(refused).toMatchObject({ status: 403, error: { message: expect.stringContaining(sentence), data: { code: 'FORBIDDEN' } } })
    expect(signUpOffer()).toEqual({ form: undefined, says: refused.error?.message })
  })

  it('name the domains, and a link mailed before the setting changed is refused afterwards', async () => {
    provide({ SMTP_URL: mailServer })
    const email = `${newId('new').toLowerCase()}@elsewhere.example`
    const browser = new Browser(base)
    await browser.mutate('account.beginSignUp', { email })
    await mailSignUp({ email })
    provide(given('domains'))
    expect(signUpOffer()).toEqual({ form: 'mail', says: 'Use an email address at example.com or example.org.' })
    const says = { status: 403, error: { message: 'Sign up with an email address at example.com or example.org.' } }
    expect(await browser.mutate('account.beginSignUp', { email })).toMatchObject(says)
    expect(await browser.mutate('account.finishSignUp', { token: tokenIn(mails.at(-1)?.text), password: PASSWORD })).toMatchObject(says)
    expect(await isHere(email)).toBe(false)
  })

  it('a new user of a provider is redirected back with a message', async () => {
    provide({ SIGN_UP: 'invitation' })
    const answer = (await WAYS['single sign-on']?.(emailAt('example.com'))) as Response
    expect(answer.headers.get('location')).toBe('/sign-in?error=sign-up-closed')
  })

  it('report conflicting settings and unconfirmable addresses to the operator at start', () => {
    for (const SIGN_UP of ['domains', 'no domain', 'open,off', 'open,example.com']) {
      provide({ SIGN_UP })
      expect(() => env()).toThrow('in the form example.com')
    }
    provide({ SIGN_UP: 'Example.com' })
    expect(env().SIGN_UP).toBe('domains')
    expect(env().SIGN_UP_DOMAINS).toEqual(['example.com'])
    expect(signUpWarning()).toContain('addresses cannot be confirmed')
    provide({ SMTP_URL: mailServer })
    expect(signUpWarning()).toBeUndefined()
    const { OIDC_ISSUER = '' } = env()
    provide({ SIGN_UP: 'sso', OIDC_ISSUER: '' })
    expect(() => env()).toThrow('sso requires OIDC_ISSUER')
    provide({ OIDC_ISSUER })
  })
})
