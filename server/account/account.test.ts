import { encode } from 'next-auth/jwt'
import { describe, expect, it } from 'vitest'
import { db } from '../infra/db.ts'
import { provide } from '../infra/env.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeVideo } from '../testing/make.ts'
import { me } from './me.ts'
import { overview } from './overview.ts'
import { signInInput, signUpInput } from './schema.ts'
import { sessionFromCookies, sessionSecret } from './session.ts'
import { signUp } from './sign-up.ts'
import { verifyCredentials } from './verify-credentials.ts'

await testDatabase()
const visitor = { address: '192.0.2.7' }
const password = 'correct horse battery'

const cookieFor = async (claims: object, { name = 'next-auth.session-token', secret = sessionSecret(), maxAge = 60 } = {}) =>
  `${name}=${await encode({ token: { ...claims }, secret, maxAge })}`

describe('sign-up', () => {
  it('makes an account named after the e-mail, its owner, and the audit row', async () => {
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

  it('gives an e-mail to exactly one of many who ask at once, and leaves nothing of the others', async () => {
    const before = await db().account.count()
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => signUp(visitor, { email: 'grace@example.com', password })))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'CONFLICT', extras: { details: [{ path: 'email' }] } })
    }
    expect(await db().account.count()).toBe(before + 1)
  })

  it.each([
    ['', password, 'email', 'Enter your e-mail address.'],
    ['ada', password, 'email', 'Enter a whole e-mail address, like ada@example.com.'],
    [`${'a'.repeat(250)}@example.com`, password, 'email', 'An e-mail address has at most 254 characters.'],
    ['ada@example.com', 'short', 'password', 'Use at least 10 characters.'],
    ['ada@example.com', 'x'.repeat(201), 'password', 'Use at most 200 characters.'],
    [undefined, undefined, 'email', 'Enter your e-mail address.'],
    [7, {}, 'password', 'Choose a password.'],
  ])('says what is wrong with %j and %j', (email, given, path, message) => {
    const { error } = signUpInput.safeParse({ email, password: given })
    expect(error?.issues).toContainEqual(expect.objectContaining({ path: [path], message }))
  })
})

describe('credentials', () => {
  it('are right only together', async () => {
    const made = await signUp(visitor, { email: 'katherine@example.com', password })
    const check = (email: string, given: string) => verifyCredentials(visitor, signInInput.parse({ email, password: given }))
    expect(await check('KATHERINE@example.com', password)).toEqual({ ...made, email: 'katherine@example.com' })
    expect(await check('katherine@example.com', 'wrong horse battery')).toBeUndefined()
    expect(await check('nobody@example.com', password)).toBeUndefined()
  })
})

describe('a session', () => {
  it('comes from the cookie of the address it is served at, and carries role and e-mail as they are now', async () => {
    const ctx = await makeAccount('DEVELOPER')
    if (ctx.actor.kind !== 'user') throw new Error('an account is made with a user')
    const claims = { accountId: ctx.accountId, userId: ctx.actor.userId }
    const names = { 'http://localhost:3000': 'next-auth.session-token', 'https://videos.example': '__Secure-next-auth.session-token' }
    for (const [BASE_URL, name] of Object.entries(names)) {
      provide({ BASE_URL })
      const found = await sessionFromCookies(`theme=dark; ${await cookieFor(claims, { name })}; other=1`)
      expect(found).toMatchObject({ accountId: ctx.accountId, actor: ctx.actor, requestId: expect.stringMatching(/^req_/) })
      for (const other of Object.values(names).filter((one) => one !== name))
        expect(await sessionFromCookies(await cookieFor(claims, { name: other }))).toBeUndefined()
    }
    provide({ BASE_URL: 'http://localhost:3000' })
    await db().membership.updateMany({ where: claims, data: { role: 'VIEWER' } })
    expect(await sessionFromCookies(await cookieFor(claims))).toMatchObject({ actor: { role: 'VIEWER' } })
    await db().membership.deleteMany({ where: claims })
    expect(await sessionFromCookies(await cookieFor(claims))).toBeUndefined()
  })

  it('is none when the cookie is missing, forged, expired, half or about another account', async () => {
    const [mine, theirs] = [await makeAccount(), await makeAccount()]
    const userId = mine.actor.kind === 'user' ? mine.actor.userId : ''
    const claims = { accountId: mine.accountId, userId }
    const cookies = [
      undefined,
      '',
      'next-auth.session-token=',
      'next-auth.session-token=%E0%A4%A',
      'next-auth.session-token=abc.def.ghi',
      'x-next-auth.session-token=abc',
      await cookieFor(claims, { secret: 'another installation' }),
      await cookieFor(claims, { maxAge: -60 }),
      await cookieFor({ accountId: mine.accountId }),
      await cookieFor({ accountId: theirs.accountId, userId }),
    ]
    for (const cookie of cookies) expect(await sessionFromCookies(cookie)).toBeUndefined()
  })
})

describe('who and what', () => {
  it('tells people who they are', async () => {
    const ctx = await makeAccount()
    expect(await me(ctx)).toMatchObject({ role: 'OWNER', account: { id: ctx.accountId, tier: 'FREE' } })
    await expect(me({ ...ctx, actor: { kind: 'system' } })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  it('counts what an account holds, and nothing of others', async () => {
    const [ctx, other] = [await makeAccount(), await makeAccount()]
    await makeVideo(other)
    await makeVideo(ctx, { createdAt: new Date('2020-01-01') })
    const newest = await makeVideo(ctx)
    await makeVideo(ctx, { status: 'FAILED' })
    await makeVideo(ctx, { status: 'PENDING' })
    await makeVideo(ctx, { deletedAt: new Date() })
    expect(await overview(ctx)).toEqual({
      videos: { pending: 1, processing: 0, completed: 2, failed: 1 },
      keys: 0,
      tokensToday: 0,
      tokensEver: 0,
      playableVideoId: newest,
    })
  })
})
