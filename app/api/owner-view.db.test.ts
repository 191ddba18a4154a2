import { globSync, readFileSync } from 'node:fs'
import superjson, { type SuperJSONResult } from 'superjson'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { AccountCtx } from '#server/context'
import { createKey } from '#server/modules/access/keys/create-key'
import { endOverdueViews } from '#server/modules/backoffice/support/owner-view'
import { giveCredit } from '#server/modules/billing/credit'
import { creditInput } from '#server/modules/billing/schema'
import { isOwnerViewOpen } from '#server/modules/identity/sessions/owner-view'
import { readSession } from '#server/modules/identity/sessions/session'
import { reserveStream } from '#server/modules/identity/sessions/watch-account'
import { db, query } from '#server/platform/database/database'
import { authRoute } from '#server/testing/auth-route'
import { testDatabase } from '#server/testing/database'
import { startHttpServer } from '#server/testing/http-server'
import { makeAccount, makeKey, makeMember, makeVideo, makeViewer } from '#server/testing/make'
import { cookieFor } from '#server/testing/sign-in'
import { makeStaff, revokeSupport } from '#server/testing/staff'
import type { ErrorData } from '#server/trpc/init'
import { appRouter } from '#server/trpc/root'
import { GET as exportAudit } from './audit/[format]/route'
import * as nextAuth from './auth/[...nextauth]/route'
import { GET as exportLedger } from './billing/ledger/route'
import { POST as stripe } from './stripe/route'
import { GET, POST } from './trpc/[trpc]/route'

await testDatabase()

const base = 'http://reelgate.test'
const REASON = 'Cannot see the videos, ticket 7'
let owner: AccountCtx
let video: string
let staff: AccountCtx
let cookie: string
let uploads: string

beforeAll(async () => {
  uploads = await startHttpServer()
})
beforeEach(async () => {
  owner = await makeAccount()
  video = await makeVideo(owner, { poster: 'a', posterCandidates: ['a'], storyboard: {} })
  staff = await makeAccount()
  await makeStaff(staff)
  cookie = await cookieFor(staff)
})

const emailOf = ({ actor }: AccountCtx) => (actor as { email: string }).email
const userIdOf = ({ actor }: AccountCtx) => (actor as { userId: string }).userId
const headers = () => ({ cookie, origin: base, host: 'reelgate.test' })

interface Answer {
  status: number
  data?: unknown
  error?: { message: string; data: ErrorData }
}

async function read(response: Response): Promise<Answer> {
  const { result, error } = (await response.json()) as { result?: { data: SuperJSONResult }; error?: SuperJSONResult }
  return { status: response.status, data: result && superjson.deserialize(result.data), error: error && superjson.deserialize(error) }
}
const ask = async (path: string, input?: unknown) =>
  read(await GET(new Request(`${base}/api/trpc/${path}?input=${encodeURIComponent(superjson.stringify(input))}`, { headers: headers() })))
async function tell(path: string, input: unknown = {}): Promise<Answer> {
  const body = superjson.stringify(input)
  const given = { 'content-type': 'application/json', 'content-length': String(body.length), ...headers() }
  return read(await POST(new Request(`${base}/api/trpc/${path}`, { method: 'POST', body, headers: given })))
}
const begin = (accountId: string = owner.accountId) => tell('support.beginOwnerView', { accountId, reason: REASON })
const context = async () => (await readSession(cookie))?.ctx as AccountCtx
const entries = (accountId: string = owner.accountId) =>
  db().auditEntry.findMany({
    where: { accountId, action: { startsWith: 'support.view-as' } },
    orderBy: { id: 'asc' },
    select: { actor: true, action: true, after: true },
  })
const expire = () => query('', `UPDATE owner_view SET expires_at = service_now() WHERE ended_at IS NULL`, [])

it('shows the dashboard of the account as its owner sees it, until it is ended', async () => {
  expect((await begin()).data).toEqual({ expiresAt: expect.any(Date) })
  const { data } = await ask('account.me')
  expect(data).toMatchObject({
    ...{ role: 'OWNER', email: emailOf(owner), account: { id: owner.accountId }, staff: null },
    accounts: [{ id: owner.accountId }],
    ownerView: { ownerEmail: emailOf(owner), expiresAt: expect.any(Date) },
  })
  expect((await ask('video.list', {})).data).toMatchObject({ videos: [{ id: video }] })
  expect((await tell('support.endOwnerView')).data).toEqual({ accountId: owner.accountId })
  expect((await ask('account.me')).data).toMatchObject({ account: { id: staff.accountId }, ownerView: null, staff: 'support' })
  const actor = `support:${userIdOf(staff)}`
  expect(await entries()).toEqual([
    { actor, action: 'support.view-as.begin', after: { reason: REASON, until: expect.any(String) } },
    { actor, action: 'support.view-as.end', after: { how: 'ended', seconds: expect.any(Number) } },
  ])
  expect(await entries(staff.accountId)).toEqual([])
})

const mutations = Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>)
  .filter(([, { _def }]) => _def.type === 'mutation')
  .map(([path]) => path)

it('refuses every mutation of the dashboard but its own end', async () => {
  expect(mutations.length).toBeGreaterThan(70)
  await begin()
  for (const path of mutations.filter((path) => path !== 'support.endOwnerView')) {
    const { status, error } = await tell(path)
    expect([path, status, error?.data.details]).toEqual([path, 403, { reason: 'owner-view' }])
    const got = await GET(new Request(`${base}/api/trpc/${path}?input={}`, { headers: headers() }))
    expect([path, got.status]).toEqual([path, 405])
  }
})

it('refuses changes by use cases too, whatever procedure calls them', async () => {
  await begin()
  const ctx = await context()
  expect(ctx).toMatchObject({ accountId: owner.accountId, actor: { kind: 'support' } })
  const refused = { code: 'FORBIDDEN', extras: { details: { reason: 'owner-view' } } }
  await expect(
    createKey(ctx, { address: '192.0.2.1' }, { name: 'Mine', environment: 'LIVE', scopes: ['video:read'] }),
  ).rejects.toMatchObject(refused)
  // Support staff may give credit in the support pages, with an actor of the same kind.
  await expect(giveCredit(ctx, creditInput.parse({ credits: '5', reason: REASON }))).rejects.toMatchObject(refused)
})

/** Each route below app/api that changes something, with the refusal that a view as owner gets. */
const ROUTES: Record<string, () => Promise<void>> = {
  'trpc/[trpc]': async () => expect((await tell('key.create')).status).toBe(403),
  'auth/[...nextauth]': async () => {
    const route = authRoute(nextAuth as unknown as Parameters<typeof authRoute>[0])
    for (const path of ['callback/credentials', 'callback/second-factor', 'signin/github', 'session', '_log']) {
      const body = new URLSearchParams({ email: emailOf(owner), password: 'a password', csrfToken: 'x' })
      const given = { ...headers(), 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(String(body).length) }
      const response = await route(new Request(`${base}/api/auth/${path}`, { method: 'POST', body, headers: given }))
      expect([path, response.status]).toEqual([path, 403])
    }
  },
  // It takes no session: what is not signed by Stripe is refused.
  stripe: async () => {
    const given = { ...headers(), 'content-length': '2' }
    const { status } = await stripe(new Request(`${base}/api/stripe`, { method: 'POST', body: '{}', headers: given }))
    expect(status).toBeGreaterThanOrEqual(400)
  },
}

it('refuses every route that is not a read', async () => {
  const root = import.meta.dirname
  const changing = globSync('**/route.ts', { cwd: root }).filter((file) =>
    /export [^\n]*\b(POST|PUT|PATCH|DELETE)\b/.test(readFileSync(`${root}/${file}`, 'utf8')),
  )
  expect(changing.map((file) => file.slice(0, -'/route.ts'.length)).sort()).toEqual(Object.keys(ROUTES).sort())
  await begin()
  for (const refused of Object.values(ROUTES)) await refused()
})

it('refuses uploads, and exports of whole files', async () => {
  await begin()
  const tus = { cookie, 'Tus-Resumable': '1.0.0', 'Upload-Length': '9', 'Upload-Metadata': 'title Q2xpcA==', 'Upload-Offset': '0' }
  for (const [method, path] of [
    ['POST', '/api/upload'],
    ['PATCH', '/api/upload/some'],
    ['DELETE', '/api/upload/some'],
  ] as const) {
    const response = await fetch(uploads + path, { method, headers: tus })
    expect([method, response.status, await response.text()]).toEqual([method, 403, expect.stringContaining('read-only')])
  }
  expect(await db().upload.count({ where: { accountId: owner.accountId } })).toBe(0)
  const audit = await exportAudit(new Request(`${base}/api/audit/csv`, { headers: headers() }), {
    params: Promise.resolve({ format: 'csv' }),
  })
  const ledger = await exportLedger(new Request(`${base}/api/billing/ledger`, { headers: headers() }))
  for (const response of [audit, ledger]) {
    expect(response.status).toBe(403)
    expect(await response.text()).toBe('Files cannot be exported while you view an account as its owner.')
  }
})

it('shows no media, no secret and no sign-in methods', async () => {
  await makeKey(owner)
  await begin()
  const detail = await ask('video.get', { videoId: video })
  expect(detail.data).toMatchObject({ posterUrl: null, storyboardUrl: null, posters: [] })
  expect((await ask('video.list', {})).data).toMatchObject({ videos: [{ posterUrl: null }] })
  for (const [path, input] of [
    ['viewing.preview', { videoId: video }],
    ['user.security', undefined],
    ['user.sessions', undefined],
  ] as const)
    expect([path, (await ask(path, input)).error?.data.code]).toEqual([path, 'FORBIDDEN'])
  cookie = await cookieFor(owner)
  expect((await ask('video.get', { videoId: video })).data).toMatchObject({ posterUrl: expect.stringContaining('poster-a.jpg') })
})

it('shows how many people watch, but not whom', async () => {
  const reference = await makeViewer(owner, 'student-42')
  await begin()
  expect((await ask('viewing.peopleCounts', {})).data).toMatchObject({ people: 1, sessions: 0 })
  for (const [path, input] of [
    ['viewing.people', {}],
    ['viewing.findPerson', { id: 'student-42' }],
    ['viewing.person', { reference }],
    ['viewing.personVideos', { reference }],
    ['viewing.watchers', { videoId: video }],
  ] as const)
    expect([path, (await ask(path, input)).error?.data.code]).toEqual([path, 'FORBIDDEN'])
  expect(JSON.stringify((await ask('search.find', { text: 'student-42' })).data)).not.toContain(reference)
  cookie = await cookieFor(owner)
  expect((await ask('viewing.people', {})).data).toMatchObject({ people: [{ reference, id: 'student-42' }] })
})

it('takes the ID of a person in the body of a query, and no change by its method', async () => {
  const reference = await makeViewer(owner, 'student-42')
  cookie = await cookieFor(owner)
  expect((await tell('viewing.findPerson', { id: 'student-42' })).data).toEqual({ reference })
  const got = await GET(new Request(`${base}/api/trpc/viewing.endPerson?input={}`, { headers: headers() }))
  expect(got.status).toBe(405)
})

it('is not for an account of the member of staff, for others, or without a reason', async () => {
  expect((await begin(staff.accountId)).error?.data.details).toEqual({ reason: 'own-account' })
  expect((await begin('acc_none')).status).toBe(404)
  expect((await tell('support.beginOwnerView', { accountId: owner.accountId, reason: '' })).status).toBe(400)
  cookie = await cookieFor(await makeMember(owner, 'OWNER'))
  expect((await begin()).status).toBe(404)
  expect(await db().ownerView.count({ where: { accountId: { in: [owner.accountId, staff.accountId] } } })).toBe(0)
})

it('ends when it expires, when the role is revoked, and when staff join the account', async () => {
  await begin()
  await query('', `INSERT INTO membership (account_id, user_id, role) VALUES ($1, $2, 'VIEWER')`, [owner.accountId, userIdOf(staff)])
  expect((await context()).accountId).toBe(staff.accountId)
  await query('', 'DELETE FROM membership WHERE account_id = $1 AND user_id = $2', [owner.accountId, userIdOf(staff)])
  expect((await context()).accountId).toBe(owner.accountId)
  await revokeSupport({ email: emailOf(staff) })
  expect((await context()).accountId).toBe(staff.accountId)
  await endOverdueViews()
  await makeStaff(staff)
  await begin()
  await expire()
  expect((await context()).accountId).toBe(staff.accountId)
  await endOverdueViews()
  await endOverdueViews()
  expect((await entries()).map(({ action, after }) => [action, (after as { how?: string }).how])).toEqual([
    ['support.view-as.begin', undefined],
    ['support.view-as.end', 'expired'],
    ['support.view-as.begin', undefined],
    ['support.view-as.end', 'expired'],
  ])
})

it('is bound to the grant under which it was opened', async () => {
  await begin()
  await revokeSupport({ email: emailOf(staff) })
  await makeStaff(staff)
  expect((await context()).accountId).toBe(staff.accountId)
  await begin()
  expect((await context()).accountId).toBe(owner.accountId)
  // Another role is another grant.
  await makeStaff(staff, 'operator')
  expect((await context()).accountId).toBe(staff.accountId)
})

it('is ended for good while its user may not view the account', async () => {
  await begin()
  await db().user.update({ where: { id: userIdOf(staff) }, data: { totpConfirmedAt: null } })
  await endOverdueViews()
  await db().user.update({ where: { id: userIdOf(staff) }, data: { totpConfirmedAt: new Date() } })
  expect((await context()).accountId).toBe(staff.accountId)
})

it('ends its event streams, and is recorded as ended after a sign-out', async () => {
  await begin()
  const ctx = await context()
  const slot = reserveStream(ctx)
  await tell('support.endOwnerView')
  await expect.poll(() => slot.signal.aborted).toBe(true)
  slot.release()
  await begin()
  const { id } = (await context()).ownerView as { id: string }
  expect(await isOwnerViewOpen(id)).toBe(true)
  await db().userSession.deleteMany({ where: { userId: userIdOf(staff) } })
  expect(await isOwnerViewOpen(id)).toBe(false)
  await endOverdueViews()
  expect(await entries()).toHaveLength(4)
})
