import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { identityOf } from '#server/modules/identity/sign-in/identity-link'
import { db } from '#server/platform/database/database'
import { authRoute } from '#server/testing/auth-route'
import { Browser } from '#server/testing/browser-jar'
import { cheapHash } from '#server/testing/cheap-hash'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { makeAccount } from '#server/testing/make'
import { openIdProvider, signInAtProvider } from '#server/testing/services/openid-provider'
import { provide } from '#server/testing/settings'
import { GET as ask, POST as tell } from '../../trpc/[trpc]/route'
import * as route from './route'

await testDatabase()
const PASSWORD = 'correct horse battery'
let base: string
let provider: Awaited<ReturnType<typeof openIdProvider>>

beforeAll(async () => {
  base = await dashboardHost({
    '/api/auth/': authRoute(route),
    '/api/trpc/': (request) => (request.method === 'GET' ? ask(request) : tell(request)),
  })
  provider = await openIdProvider({ redirect: `${base}/api/auth/callback/oidc` })
  provide({ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: provider.clientId, OIDC_CLIENT_SECRET: provider.clientSecret })
})

/** Signs in at the provider as `login` and returns; returns the address where the browser arrives. */
async function comeBack(browser: Browser, login: string, change = (address: string) => address): Promise<string> {
  const { url } = await browser.post('signin/oidc', { callbackUrl: '/videos' })
  expect(url).toMatch(new RegExp(`^${provider.issuer}/auth\\?.*code_challenge=`))
  const callback = change(await signInAtProvider(browser, url, login))
  const answer = await browser.ask(callback)
  return answer.headers.get('location') ?? ''
}

/** Creates a user with a password. */
async function createUser() {
  const { actor } = await makeAccount()
  if (actor.kind !== 'user') throw new Error('an account is made with a user')
  await db().user.update({ where: { id: actor.userId }, data: { passwordHash: cheapHash(PASSWORD) } })
  return actor
}

const me = async (browser: Browser) => (await browser.query('account.me')).data as { email: string } | undefined

it('creates an account for a new user with a verified e-mail, and recognizes the user at the next sign-in', async () => {
  provider.people.set('ada', { email: 'Ada.At@Provider.example', email_verified: true })
  const first = new Browser(base)
  expect(await comeBack(first, 'ada')).toBe(`${base}/videos`)
  expect(await me(first)).toMatchObject({ email: 'ada.at@provider.example', role: 'OWNER' })
  // Recognizes the user by the subject at the provider, not by the e-mail, which may change there.
  provider.people.set('ada', { email: 'elsewhere@provider.example', email_verified: true })
  const second = new Browser(base)
  await comeBack(second, 'ada')
  expect(await me(second)).toMatchObject({ email: 'ada.at@provider.example' })
  const user = await db().user.findUniqueOrThrow({
    where: { email: 'ada.at@provider.example' },
    include: { identities: true, sessions: true, memberships: { include: { account: { include: { audit: true } } } } },
  })
  expect(user).toMatchObject({ passwordHash: null, identities: [{ issuer: provider.issuer, subject: 'ada', provider: 'oidc' }] })
  expect(user.sessions).toMatchObject([{ method: 'oidc' }, { method: 'oidc' }])
  expect(user.memberships[0]?.account.audit).toMatchObject([
    { action: 'account.sign-up', after: { provider: 'oidc' } },
    { action: 'user.device.new', after: { method: 'oidc' } },
    { action: 'user.device.new', after: { method: 'oidc' } },
  ])
})

it.each([
  ['not verified', { email: 'eve@provider.example', email_verified: false }],
  ['not verified, as text', { email: 'eve@provider.example', email_verified: 'false' }],
  ['not said to be verified', { email: 'eve@provider.example' }],
  ['not stated', {}],
])('creates no account for an e-mail that is %s', async (_, claims) => {
  provider.people.set('eve', claims)
  const browser = new Browser(base)
  expect(await comeBack(browser, 'eve')).toBe('/sign-in?error=email-unverified')
  expect(await me(browser)).toBeUndefined()
  expect(await db().user.count({ where: { email: 'eve@provider.example' } })).toBe(0)
})

it('takes “true” as text for a verified e-mail', async () => {
  provider.people.set('hedy', { email: 'hedy@provider.example', email_verified: 'true' })
  const browser = new Browser(base)
  expect(await comeBack(browser, 'hedy')).toBe(`${base}/videos`)
  expect(await me(browser)).toMatchObject({ email: 'hedy@provider.example' })
})

describe('with OIDC_EMAIL_VERIFIED=assumed', () => {
  beforeEach(() => provide({ OIDC_EMAIL_VERIFIED: 'assumed' }))
  afterEach(() => provide({ OIDC_EMAIL_VERIFIED: 'claim' }))

  it('creates an account for an e-mail about which the provider says nothing', async () => {
    provider.people.set('emmy', { email: 'emmy@provider.example' })
    const browser = new Browser(base)
    expect(await comeBack(browser, 'emmy')).toBe(`${base}/videos`)
    expect(await me(browser)).toMatchObject({ email: 'emmy@provider.example' })
  })

  it('creates none for an e-mail that the provider calls unverified', async () => {
    provider.people.set('mallory', { email: 'mallory@provider.example', email_verified: false })
    expect(await comeBack(new Browser(base), 'mallory')).toBe('/sign-in?error=email-unverified')
  })

  it('never signs in as an existing user', async () => {
    const { email } = await createUser()
    provider.people.set('oscar', { email })
    expect(await comeBack(new Browser(base), 'oscar')).toBe('/sign-in?error=connect-first')
  })

  it('does not vouch for other providers', () => {
    provide({ GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' })
    expect(identityOf('google', { sub: '1', email: 'a@example.com' }).emailVerified).toBe(false)
    expect(identityOf('oidc', { sub: '1', email: 'a@example.com' }).emailVerified).toBe(true)
    provide({ GOOGLE_CLIENT_ID: undefined, GOOGLE_CLIENT_SECRET: undefined })
  })
})

it('never signs in as an existing user, even for an e-mail that the provider has verified', async () => {
  const { email, userId } = await createUser()
  provider.people.set('thief', { email: email.toUpperCase(), email_verified: true })
  const browser = new Browser(base)
  expect(await comeBack(browser, 'thief')).toBe('/sign-in?error=connect-first')
  expect(await me(browser)).toBeUndefined()
  expect(await db().userIdentity.count({ where: { userId } })).toBe(0)
})

it('is connected by its owner, signed in and with the password, once per permission, and disconnected again', async () => {
  const { email, userId } = await createUser()
  provider.people.set('grace', { email: 'grace@provider.example', email_verified: true })
  const browser = new Browser(base)
  await browser.signIn(email, PASSWORD)
  expect(await browser.mutate('user.beginLink', { provider: 'oidc', password: 'wrong' })).toMatchObject({ status: 400 })
  expect(await browser.mutate('user.beginLink', { provider: 'oidc', password: PASSWORD })).toMatchObject({ status: 200 })
  expect(await comeBack(browser, 'grace')).toBe('/settings/security?connected=oidc')
  expect(await me(browser)).toMatchObject({ email })
  const elsewhere = new Browser(base)
  await comeBack(elsewhere, 'grace')
  expect(await me(elsewhere)).toMatchObject({ email })
  expect(await db().auditEntry.count({ where: { actor: userId, action: 'user.identity.connect' } })).toBe(1)

  // The permission for the first identity does not connect a second one.
  provider.people.set('other', { email: 'other@provider.example', email_verified: true })
  const again = new Browser(base)
  await again.signIn(email, PASSWORD)
  expect(await comeBack(again, 'other')).toBe(`${base}/videos`)
  expect(await me(again)).toMatchObject({ email: 'other@provider.example' })

  expect(await browser.mutate('user.unlinkIdentity', { provider: 'oidc' })).toMatchObject({ status: 200 })
  expect(await db().userIdentity.count({ where: { userId } })).toBe(0)
})

it('does not connect another user’s identity', async () => {
  provider.people.set('linus', { email: 'linus@provider.example', email_verified: true })
  await comeBack(new Browser(base), 'linus')
  const { email, userId } = await createUser()
  const browser = new Browser(base)
  await browser.signIn(email, PASSWORD)
  await browser.mutate('user.beginLink', { provider: 'oidc', password: PASSWORD })
  expect(await comeBack(browser, 'linus')).toBe('/settings/security?taken=oidc')
  expect(await db().userIdentity.count({ where: { userId } })).toBe(0)
  expect(await me(browser)).toMatchObject({ email })
})

it('keeps the last sign-in method of a user without a password', async () => {
  provider.people.set('mary', { email: 'mary@provider.example', email_verified: true })
  const browser = new Browser(base)
  await comeBack(browser, 'mary')
  expect(await browser.mutate('user.unlinkIdentity', { provider: 'oidc' })).toMatchObject({ status: 409 })
  expect(await browser.mutate('user.changePassword', { current: '', password: PASSWORD })).toMatchObject({ status: 200 })
  expect(await browser.mutate('user.unlinkIdentity', { provider: 'oidc' })).toMatchObject({ status: 200 })
  const later = new Browser(base)
  expect(await later.signIn('mary@provider.example', PASSWORD)).toMatchObject({ status: 200, error: null })
})

it.each([
  ['another state', (address: string) => address.replace(/state=[^&]+/, 'state=x')],
  ['another code', (address: string) => address.replace(/code=[^&]+/, 'code=x')],
  ['another issuer', (address: string) => address.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example')],
])('refuses a callback with %s', async (_, change) => {
  provider.people.set('ada', { email: 'ada.at@provider.example', email_verified: true })
  const browser = new Browser(base)
  expect(await comeBack(browser, 'ada', change)).toMatch(/\/api\/auth\/(?:error|signin)\?error=|\/sign-in\?error=/)
  expect(await me(browser)).toBeUndefined()
})

it('accepts a callback only in the browser that started the sign-in', async () => {
  provider.people.set('ada', { email: 'ada.at@provider.example', email_verified: true })
  const [attacker, victim] = [new Browser(base), new Browser(base)]
  const { url } = await attacker.post('signin/oidc', { callbackUrl: '/' })
  const callback = await signInAtProvider(attacker, url, 'ada')
  await victim.ask(callback)
  expect(await me(victim)).toBeUndefined()
})

it('requires the second factor of a user who has one', async () => {
  provider.people.set('katherine', { email: 'katherine@provider.example', email_verified: true })
  await comeBack(new Browser(base), 'katherine')
  await db().user.update({ where: { email: 'katherine@provider.example' }, data: { totpConfirmedAt: new Date() } })
  const browser = new Browser(base)
  expect(await comeBack(browser, 'katherine')).toBe(`${base}/videos`)
  expect(await me(browser)).toBeUndefined()
})
