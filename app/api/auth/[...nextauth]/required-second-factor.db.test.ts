import { Secret, TOTP } from 'otpauth'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AccountCtx, requireUser } from '#server/context'
import { watchVideos } from '#server/modules/dashboard/watch-videos'
import { readSession } from '#server/modules/identity/sessions/session'
import { serviceNow } from '#server/platform/database/clock'
import { db } from '#server/platform/database/database'
import { authRoute } from '#server/testing/auth-route'
import { Browser } from '#server/testing/browser-jar'
import { cheapHash } from '#server/testing/cheap-hash'
import { dashboardHost } from '#server/testing/dashboard-host'
import { testDatabase } from '#server/testing/database'
import { startHttpServer } from '#server/testing/http-server'
import { makeAccount, makeMember } from '#server/testing/make'
import { giveSecondFactor } from '#server/testing/staff'
import { GET as auditFile } from '../../audit/[format]/route'
import { GET as ledgerFile } from '../../billing/ledger/route'
import { GET as ask, POST as tell } from '../../trpc/[trpc]/route'
import * as route from './route'

await testDatabase()
const PASSWORD = 'correct horse battery'
let base: string
let uploads: string
let passwordHash: string

beforeAll(async () => {
  uploads = await startHttpServer()
  base = await dashboardHost({
    '/api/auth/': authRoute(route),
    '/api/trpc/': (request) => (request.method === 'GET' ? ask(request) : tell(request)),
    '/api/audit/csv': (request) => auditFile(request, { params: Promise.resolve({ format: 'csv' }) }),
    '/api/billing/ledger': ledgerFile,
  })
  passwordHash = cheapHash(PASSWORD)
})

const withPassword = (ctx: AccountCtx) => db().user.update({ where: { id: requireUser(ctx).userId }, data: { passwordHash } })

async function signedIn(ctx: AccountCtx): Promise<Browser> {
  await withPassword(ctx)
  const browser = new Browser(base)
  expect(await browser.signIn(requireUser(ctx).email, PASSWORD)).toMatchObject({ status: 200, error: null })
  return browser
}

const codeFor = (secret: string, ahead = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: serviceNow() + ahead * 30_000 })

/** Creates an owner with a second factor and a member without one, both signed in. */
async function team() {
  const ctx = await makeAccount()
  const owner = await signedIn(ctx)
  await owner.giveCode(codeFor(await giveSecondFactor(ctx)))
  const member = await makeMember(ctx, 'DEVELOPER')
  return { ctx, owner, memberCtx: member, member: await signedIn(member) }
}

const upload = (browser: Browser) =>
  fetch(`${uploads}/api/upload`, {
    method: 'POST',
    headers: { cookie: browser.cookie, 'tus-resumable': '1.0.0', 'upload-length': '5', 'upload-metadata': '' },
  })
const require_ = (browser: Browser, required = true) => browser.mutate('team.requireSecondFactor', { required })
const missing = { status: 403, error: { data: { code: 'FORBIDDEN', details: { reason: 'second-factor' } } } }

describe('an account that requires a second factor', () => {
  it('refuses a member’s open session without one at once: procedures, files and uploads, all but the set-up', async () => {
    const { owner, member } = await team()
    expect(await member.query('key.list')).toMatchObject({ status: 200 })
    expect(await require_(owner)).toMatchObject({ status: 200 })
    for (const path of ['key.list', 'account.me', 'video.list', 'team.list', 'user.security', 'user.sessions'])
      expect(await member.query(path, {}), path).toMatchObject(missing)
    expect(await member.mutate('key.create', { name: 'Mine', environment: 'LIVE', scopes: ['video:read'] })).toMatchObject(missing)
    for (const path of ['/api/audit/csv', '/api/billing/ledger']) expect((await member.ask(path)).status, path).toBe(403)
    const refused = await upload(member)
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('two-factor')])
    expect((await owner.query('key.list')).status).toBe(200)

    const begun = await member.mutate('user.beginTotp', { password: PASSWORD })
    const { secret } = begun.data as { secret: string }
    expect(await member.mutate('user.confirmTotp', { code: codeFor(secret) })).toMatchObject({ status: 200 })
    expect((await member.query('key.list')).status).toBe(200)
    expect((await member.ask('/api/audit/csv')).status).toBe(200)
  })

  it('cannot be set by an owner who has none, or by other roles', async () => {
    const ctx = await makeAccount()
    const owner = await signedIn(ctx)
    expect(await require_(owner)).toMatchObject({ status: 409, error: { message: expect.stringContaining('for yourself') } })
    const { member } = await team()
    expect(await require_(member)).toMatchObject({ status: 403, error: { message: expect.stringContaining('cannot manage the team') } })
  })

  it('requires it again of a member who turned theirs off, lets them leave or switch the account, and ends when lifted', async () => {
    const { ctx, owner, memberCtx, member } = await team()
    await require_(owner)
    await giveSecondFactor(memberCtx)
    expect((await member.query('key.list')).status).toBe(200)
    await db().user.update({ where: { id: requireUser(memberCtx).userId }, data: { totpConfirmedAt: null } })
    expect(await member.query('key.list')).toMatchObject(missing)
    const other = await makeAccount()
    await db().membership.create({ data: { accountId: other.accountId, userId: requireUser(memberCtx).userId, role: 'VIEWER' } })
    expect((await member.mutate('team.switchAccount', { accountId: other.accountId })).status).toBe(200)
    expect((await member.query('key.list')).status).toBe(200)
    expect((await member.mutate('team.switchAccount', { accountId: ctx.accountId })).status).toBe(200)
    expect(await member.query('key.list')).toMatchObject(missing)
    expect((await require_(owner, false)).status).toBe(200)
    expect((await member.query('key.list')).status).toBe(200)
    expect((await require_(owner)).status).toBe(200)
    expect((await member.mutate('team.leave')).status).toBe(200)
    expect((await member.query('key.list')).status).toBe(200)
  })

  it('accepts a session of single sign-on, whose provider requires its own factor, and of no other provider', async () => {
    const { owner, member } = await team()
    await require_(owner)
    const sessionId = (await readSession(member.cookie))?.ctx.sessionId ?? ''
    for (const [method, status] of [
      ['oidc', 200],
      ['github', 403],
      ['google', 403],
    ] as const) {
      await db().userSession.update({ where: { id: sessionId }, data: { method } })
      expect((await member.query('key.list')).status, method).toBe(status)
    }
  })

  it('closes the event streams of members without one, and no others', async () => {
    const { owner, member } = await team()
    const watching = async (browser: Browser) => {
      const stop = new AbortController()
      const { ctx } = (await readSession(browser.cookie)) ?? {}
      const events = watchVideos(ctx as AccountCtx, stop.signal)
      await events.next()
      const drain = async () => {
        for await (const _ of events);
      }
      return {
        stop,
        ended: drain().then(
          () => 'quietly',
          ({ code }: { code: string }) => code,
        ),
      }
    }
    const [theirs, mine] = [await watching(member), await watching(owner)]
    await require_(owner)
    expect(await theirs.ended).toBe('UNAUTHENTICATED')
    mine.stop.abort()
    expect(await mine.ended).toBe('quietly')
  })

  it('is in the audit log, on and off, once each', async () => {
    const { ctx, owner } = await team()
    for (const required of [true, true, false]) await require_(owner, required)
    const entries = await db().auditEntry.findMany({
      where: { accountId: ctx.accountId, action: 'team.secondFactor' },
      orderBy: { id: 'asc' },
    })
    expect(entries.map(({ before, after }) => [before, after])).toEqual([
      [{ required: false }, { required: true }],
      [{ required: true }, { required: false }],
    ])
  })
})
