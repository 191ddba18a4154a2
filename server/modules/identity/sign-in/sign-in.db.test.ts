import { encode } from 'next-auth/jwt'
import { describe, expect, it } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { provide } from '../../../testing/settings.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import { getCurrentUser } from '../sessions/get-current-user.ts'
import { sessionFromCookies, sessionSecret } from '../sessions/session.ts'
import { signInInput, signUpInput } from './schema.ts'
import { verifyCredentials } from './sign-in-attempt.ts'
import { signUp } from './sign-up.ts'

await testDatabase()
const visitor = { address: '192.0.2.7' }
const password = 'correct horse battery'

describe('signUp', () => {
  it('creates an account named after the e-mail, its owner, and the audit row', async () => {
    const { userId, accountId } = await signUp(visitor, signUpInput.parse({ email: '  Ada.Lovelace@Example.COM ', password }))
    const account = await db().account.findUniqueOrThrow({
      where: { id: accountId },
      include: { members: { include: { user: true } }, audit: true },
    })
    expect(account).toMatchObject({ name: 'ada.lovelace', tier: 'FREE' })
    expect(account.members).toMatchObject([{ userId, role: 'OWNER', user: { email: 'ada.lovelace@example.com' } }])
    expect(account.members[0]?.user.passwordHash).toMatch(/^\$argon2id\$/)
    expect(account.audit).toMatchObject([{ actor: userId, action: 'account.sign-up', subject: accountId }])
    expect(JSON.stringify(account.audit[0]?.after)).not.toContain(password)
  })

  it('creates one user per e-mail under concurrent requests, and leaves nothing of the others', async () => {
    const before = await db().account.count()
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => signUp(visitor, { email: 'grace@example.com', password })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'CONFLICT', extras: { details: [{ path: 'email' }] } })
    }
    expect(await db().account.count()).toBe(before + 1)
  })

  it.each([
    ['', password, 'email', 'Enter your email address.'],
    ['ada', password, 'email', 'Enter a complete email address, such as ada@example.com.'],
    [`${'a'.repeat(250)}@example.com`, password, 'email', 'An email address can have at most 254 characters.'],
    ['ada@example.com', 'short', 'password', 'Use at least 10 characters.'],
    ['ada@example.com', 'x'.repeat(201), 'password', 'Use at most 200 characters.'],
    [undefined, undefined, 'email', 'Enter your email address.'],
    [7, {}, 'password', 'Choose a password.'],
  ])('returns the errors of %j and %j', (email, given, path, message) => {
    const { error } = signUpInput.safeParse({ email, password: given })
    expect(error?.issues).toContainEqual(expect.objectContaining({ path: [path], message }))
  })
})

describe('verifyCredentials', () => {
  it('accepts only the matching e-mail and password', async () => {
    const made = await signUp(visitor, { email: 'katherine@example.com', password })
    const check = (email: string, given: string) => verifyCredentials(visitor, signInInput.parse({ email, password: given }))
    expect(await check('KATHERINE@example.com', password)).toEqual({
      userId: made.userId,
      email: 'katherine@example.com',
      mfaPending: false,
    })
    expect(await check('katherine@example.com', 'wrong horse battery')).toBeUndefined()
    expect(await check('unknown@example.com', password)).toBeUndefined()
  })
})

describe('sessionFromCookies', () => {
  it('reads the session of the cookie for the served address, with the current role and e-mail', async () => {
    const ctx = await makeAccount('DEVELOPER')
    if (ctx.actor.kind !== 'user') throw new Error('an account is made with a user')
    const names = { 'http://localhost:3000': 'next-auth-3000.session-token', 'https://videos.example': '__Host-next-auth.session-token' }
    for (const [BASE_URL, name] of Object.entries(names)) {
      provide({ BASE_URL })
      const cookie = await cookieFor(ctx)
      expect(cookie).toMatch(new RegExp(`^${name}=`))
      const found = await sessionFromCookies(`theme=dark; ${cookie}; other=1`)
      expect(found).toMatchObject({ accountId: ctx.accountId, actor: ctx.actor, requestId: expect.stringMatching(/^req_/) })
      for (const other of [
        'next-auth.session-token',
        'next-auth-3001.session-token',
        '__Secure-next-auth.session-token',
        '__Host-next-auth.session-token',
      ])
        if (other !== name) expect(await sessionFromCookies(cookie.replace(name, other))).toBeUndefined()
    }
    provide({ BASE_URL: 'http://localhost:3000' })
    const cookie = await cookieFor(ctx)
    const where = { accountId: ctx.accountId, userId: ctx.actor.userId }
    await db().membership.updateMany({ where, data: { role: 'VIEWER' } })
    expect(await sessionFromCookies(cookie)).toMatchObject({ actor: { role: 'VIEWER' } })
    await db().membership.deleteMany({ where })
    expect(await sessionFromCookies(cookie)).toBeUndefined()
  })

  it('returns undefined when the cookie is missing or forged, or its session ended, expired or waits for a code', async () => {
    provide({ BASE_URL: 'http://localhost' })
    const ctx = await makeAccount()
    const good = await cookieFor(ctx)
    expect(await sessionFromCookies(good)).toBeDefined()
    const claims = { sessionId: (await sessionFromCookies(good))?.sessionId }
    const ofToken = async (token: object, secret = sessionSecret(), maxAge = 60) =>
      `next-auth.session-token=${await encode({ token: { ...token }, secret, maxAge })}`
    expect(await sessionFromCookies(await ofToken(claims))).toBeDefined()
    const cookies = [
      undefined,
      '',
      'next-auth.session-token=',
      'next-auth.session-token=%E0%A4%A',
      'next-auth.session-token=abc.def.ghi',
      'x-next-auth.session-token=abc',
      await ofToken(claims, 'another installation'),
      await ofToken(claims, sessionSecret(), -60),
      await ofToken({ userId: ctx.actor.kind === 'user' && ctx.actor.userId, accountId: ctx.accountId }),
      await ofToken({ sessionId: 'ses_0000000000000000000000' }),
    ]
    for (const cookie of cookies) expect(await sessionFromCookies(cookie)).toBeUndefined()
    for (const data of [{ mfaPending: true }, { expiresAt: new Date(Date.now() - 1_000) }]) {
      const cookie = await cookieFor(ctx)
      await db().userSession.updateMany({ where: { id: (await sessionFromCookies(cookie))?.sessionId ?? '' }, data })
      expect(await sessionFromCookies(cookie)).toBeUndefined()
    }
    await db().userSession.deleteMany({ where: { id: claims.sessionId ?? '' } })
    expect(await sessionFromCookies(good)).toBeUndefined()
  })

  it('continues in the oldest other account of a removed member', async () => {
    const [first, second] = [await makeAccount(), await makeAccount()]
    if (first.actor.kind !== 'user') throw new Error('an account is made with a user')
    const { userId } = first.actor
    await db().membership.create({ data: { accountId: second.accountId, userId, role: 'VIEWER' } })
    const cookie = await cookieFor(first)
    expect(await sessionFromCookies(cookie)).toMatchObject({ accountId: first.accountId, actor: { role: 'OWNER' } })
    await db().userSession.updateMany({ where: { userId }, data: { accountId: second.accountId } })
    expect(await sessionFromCookies(cookie)).toMatchObject({ accountId: second.accountId, actor: { role: 'VIEWER' } })
    await db().membership.deleteMany({ where: { userId, accountId: second.accountId } })
    expect(await sessionFromCookies(cookie)).toMatchObject({ accountId: first.accountId })
  })

  it('records when and where the session was seen, once a minute', async () => {
    const cookie = await cookieFor(await makeAccount())
    const id = (await sessionFromCookies(cookie, '203.0.113.5'))?.sessionId ?? ''
    const row = () => db().userSession.findUniqueOrThrow({ where: { id } })
    expect((await row()).address).toBe('192.0.2.1')
    await db().userSession.updateMany({ where: { id }, data: { lastSeenAt: new Date(Date.now() - 61_000) } })
    const before = (await row()).lastSeenAt
    await sessionFromCookies(cookie, '203.0.113.5')
    const { address, lastSeenAt } = await row()
    expect(address).toBe('203.0.113.5')
    expect(lastSeenAt.getTime()).toBeGreaterThanOrEqual(before.getTime() + 60_000)
  })
})

describe('me', () => {
  it('returns the signed-in user', async () => {
    const ctx = await makeAccount()
    expect(await getCurrentUser(ctx)).toMatchObject({ role: 'OWNER', account: { id: ctx.accountId, tier: 'FREE' } })
    await expect(getCurrentUser({ ...ctx, actor: { kind: 'system' } })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })
})
