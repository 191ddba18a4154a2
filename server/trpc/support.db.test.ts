import { TRPCError } from '@trpc/server'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { isServiceError } from '../errors.ts'
import type { CreatedKey } from '../modules/access/keys/create-key.ts'
import { SERVICE } from '../modules/audit/content-access.ts'
import { signReceipt } from '../modules/audit/receipts/sign.ts'
import { emit } from '../modules/webhooks/endpoints/emit.ts'
import { db, query } from '../platform/database/database.ts'
import { newId } from '../platform/secrets/crypto.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { makeStaff, revokeSupport } from '../testing/staff.ts'
import { appRouter } from './root.ts'

await testDatabase()

let owner: AccountCtx
let key: CreatedKey
let video: string
let staff: AccountCtx
const endpoint = 'whe_ofthistest'
let event = ''
const REASON = 'Asked for in ticket 7'

beforeAll(async () => {
  owner = await makeAccount()
  key = await makeKey(owner)
  video = await makeVideo(owner, { status: 'FAILED', failureReason: 'Not a video.' })
  await db().videoLog.create({ data: { videoId: video, step: 'fail', message: 'It is no video.' } })
  await db().webhookEndpoint.create({
    data: {
      id: endpoint,
      accountId: owner.accountId,
      url: 'https://example.com/hooks',
      description: '',
      events: ['video.processing.failed'],
      secret: Buffer.from('sealed'),
    },
  })
  const payload = { videoId: video, durationSec: 0, qualities: [], encrypted: true, externalId: null, reason: 'Not a video.' }
  event = (await db().$transaction((tx) => emit(tx, owner.accountId, 'video.processing.failed', payload))) ?? ''
  const call = { method: 'GET', operation: 'getVideo', path: `/v1/video/${video}`, query: '', status: 404, code: 'VIDEO_NOT_FOUND' }
  await db().loggedRequest.create({
    data: {
      ...call,
      id: 'req_known',
      accountId: owner.accountId,
      at: new Date(),
      keyId: key.id,
      checks: ['route', 'key'],
      durationMs: 1,
      responseHeaders: {},
    },
  })
})

beforeEach(async () => {
  staff = { ...(await makeAccount()), sessionId: newId('ses') }
  await makeStaff(staff)
})

const emailOf = ({ actor }: AccountCtx) => (actor as { email: string }).email
const userIdOf = ({ actor }: AccountCtx) => (actor as { userId: string }).userId
const callAs = (session: AccountCtx | undefined) =>
  appRouter.createCaller({ visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true })
type Caller = ReturnType<typeof callAs>

const DRILL = `
  INSERT INTO backup_drill (id, backup_id, passed, faults, figures, jws) VALUES ('rcp_drill', 'bkp_one', true, '[]', '{}', $1)
  ON CONFLICT DO NOTHING`

/** Each procedure with valid input, and the part of the account that its call reads; `change` is the action recorded instead, `reasonField` where it records the reason. */
const CASES: Record<
  string,
  {
    call: (caller: Caller) => Promise<unknown>
    page?: string
    of?: () => string
    change?: string
    reasonField?: 'resolutionNote' | 'declineReason'
    eachTime?: true
    once?: true
  }
> = {
  'support.find': { call: ({ support }) => support.find({ text: emailOf(owner) }), page: 'search' },
  'support.pending': { call: ({ support }) => support.pending() },
  'support.recent': { call: ({ support }) => support.recent() },
  'support.accounts': { call: ({ support }) => support.accounts({}) },
  'support.quotaRequests': { call: ({ support }) => support.quotaRequests(), page: 'quota requests' },
  'support.resolveQuotaRequest': {
    call: ({ support }) =>
      support.resolveQuotaRequest({
        accountId: owner.accountId,
        requestId: 'qrq_ofthistest',
        approvedQuota: 7_000,
        resolutionNote: REASON,
      }),
    change: 'billing.quota.resolve',
    reasonField: 'resolutionNote',
    once: true,
  },
  'support.fleet': { call: ({ support }) => support.fleet() },
  'support.backups': { call: ({ support }) => support.backups() },
  'support.backupReceipt': {
    call: async ({ support }) => {
      const jws = await signReceipt(SERVICE, { id: 'rcp_drill', kind: 'backup.drill', accountId: 'ins_one', subject: 'bkp_one', facts: {} })
      await query('', DRILL, [jws])
      return support.backupReceipt({ receiptId: 'rcp_drill' })
    },
  },
  'support.approvals': { call: ({ support }) => support.approvals(), page: 'approvals' },
  'support.resolveApproval': {
    call: ({ support }) =>
      support.resolveApproval({ accountId: owner.accountId, approvalId: 'apr_ofthistest', approve: false, declineReason: REASON }),
    change: 'support.decline',
    reasonField: 'declineReason',
    once: true,
  },
  'support.timeline': { call: ({ support }) => support.timeline({ accountId: owner.accountId }), page: 'timeline' },
  'support.audit': { call: ({ support }) => support.audit({ accountId: owner.accountId }), page: 'audit log' },
  'support.auditChoices': { call: ({ support }) => support.auditChoices({ accountId: owner.accountId }), page: 'audit log' },
  'support.notes': { call: ({ support }) => support.notes({ accountId: owner.accountId }), page: 'overview' },
  // Members see no notes, so that their audit log has none: server/modules/backoffice/support/notes.db.test.ts reads the log of the installation.
  'support.addNote': { call: ({ support }) => support.addNote({ accountId: owner.accountId, body: 'Called twice' }) },
  'support.editNote': {
    call: async ({ support }) => {
      const { noteId } = await support.addNote({ accountId: owner.accountId, body: 'Called' })
      return support.editNote({ accountId: owner.accountId, noteId, body: 'Called twice', expected: 'Called' })
    },
  },
  'support.removeNote': {
    call: async ({ support }) => {
      const { noteId } = await support.addNote({ accountId: owner.accountId, body: 'Called' })
      return support.removeNote({ accountId: owner.accountId, noteId })
    },
  },
  'support.beginOwnerView': {
    call: ({ support }) => support.beginOwnerView({ accountId: owner.accountId, reason: REASON }),
    change: 'support.view-as.begin',
    once: true,
  },
  'support.endOwnerView': { call: ({ support }) => support.endOwnerView() },
  'support.setSuspended': {
    call: ({ support }) => support.setSuspended({ accountId: owner.accountId, suspended: true, reason: REASON }),
    change: 'support.suspend',
    once: true,
  },
  'support.setTakenDown': {
    call: ({ support }) => support.setTakenDown({ accountId: owner.accountId, videoId: video, takenDown: true, reason: REASON }),
    change: 'support.takedown',
    once: true,
  },
  'support.person': {
    call: ({ support }) => support.person({ accountId: owner.accountId, userId: userIdOf(owner), what: 'suspend', reason: REASON }),
    change: 'support.person.suspend',
    once: true,
  },
  'support.account': { call: ({ support }) => support.account({ accountId: owner.accountId }), page: 'overview' },
  'support.usage': { call: ({ support }) => support.usage({ accountId: owner.accountId }), page: 'overview' },
  'support.keys': { call: ({ support }) => support.keys({ accountId: owner.accountId }), page: 'keys' },
  'support.videos': { call: ({ support }) => support.videos({ accountId: owner.accountId }), page: 'videos' },
  'support.video': {
    call: ({ support }) => support.video({ accountId: owner.accountId, videoId: video }),
    page: 'videos',
    of: () => video,
  },
  'support.requests': { call: ({ support }) => support.requests({ accountId: owner.accountId }), page: 'requests' },
  'support.request': {
    call: ({ support }) => support.request({ accountId: owner.accountId, requestId: 'req_known' }),
    page: 'requests',
    of: () => 'req_known',
  },
  'support.webhooks': { call: ({ support }) => support.webhooks({ accountId: owner.accountId }), page: 'webhooks' },
  'support.deliveries': {
    call: ({ support }) => support.deliveries({ accountId: owner.accountId, endpointId: endpoint }),
    page: 'webhooks',
    of: () => endpoint,
  },
  'support.delivery': {
    call: ({ support }) => support.delivery({ accountId: owner.accountId, endpointId: endpoint, eventId: event }),
    page: 'webhooks',
    of: () => event,
  },
  'support.wallet': { call: ({ support }) => support.wallet({ accountId: owner.accountId }), page: 'billing' },
  'support.adjustBalance': {
    call: ({ support }) => support.adjustBalance({ accountId: owner.accountId, direction: 'give', credits: '2.5', reason: REASON }),
    change: 'billing.credit',
    eachTime: true,
  },
  'support.changeTier': {
    call: ({ support }) => support.changeTier({ accountId: owner.accountId, tier: 'PAID', expected: 'FREE', reason: REASON }),
    change: 'billing.tier',
  },
  'support.limits': { call: ({ support }) => support.limits({ accountId: owner.accountId }), page: 'overview' },
  'support.setLimit': {
    call: ({ support }) => support.setLimit({ accountId: owner.accountId, name: 'videos', value: 20_000, reason: REASON, expected: null }),
    change: 'support.limit',
  },
  'support.setKeyDisabled': {
    call: ({ support }) => support.setKeyDisabled({ accountId: owner.accountId, keyId: key.id, disabled: true, reason: REASON }),
    change: 'key.disable',
    once: true,
  },
  'support.setQuota': {
    call: ({ support }) =>
      support.setQuota({ accountId: owner.accountId, keyId: key.id, dailyQuota: 5_000, reason: REASON, expected: null }),
    change: 'support.quota',
  },
}

/** Creates an unanswered quota request and a proposal; nothing is suspended. */
async function asked(): Promise<void> {
  await db().quotaRequest.deleteMany()
  const { userId } = owner.actor as { userId: string }
  await db().supportApproval.deleteMany()
  await db().supportApproval.create({
    data: {
      ...{ id: 'apr_ofthistest', accountId: owner.accountId, credits: 5_000_000_000n, reason: REASON },
      ...{ proposedBy: 'usr_colleague', proposedEmail: 'colleague@example.com', expiresAt: new Date(Date.now() + 86_400_000) },
    },
  })
  await db().account.update({ where: { id: owner.accountId }, data: { suspendedAt: null } })
  await db().user.update({ where: { id: userIdOf(owner) }, data: { suspendedAt: null } })
  await db().video.update({ where: { id: video }, data: { takenDownAt: null } })
  await db().quotaRequest.create({
    data: {
      id: 'qrq_ofthistest',
      accountId: owner.accountId,
      keyId: key.id,
      requestedQuota: 9_000,
      reason: 'We grow',
      requestedBy: userId,
    },
  })
}

const names = Object.keys(CASES)

test('every procedure has its case', () => {
  const ours = Object.keys(appRouter._def.procedures).filter((name) => name.startsWith('support.'))
  expect(names.sort()).toEqual(ours.sort())
})

/** Returns everything that a refused call reveals. */
async function refusal(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    (answer) => {
      throw new Error(`answered ${JSON.stringify(answer)}`)
    },
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof TRPCError) || !isServiceError(error.cause)) throw error
  return { name: error.code, message: error.message, code: error.cause.code, extras: error.cause.extras }
}

const raw = (caller: Caller, name: string, input: unknown) => {
  const procedures = caller.support as unknown as Record<string, (input: unknown) => Promise<unknown>>
  return (procedures[name.slice('support.'.length)] as (input: unknown) => Promise<unknown>)(input)
}

const trail = () => db().auditEntry.findMany({ where: { accountId: owner.accountId }, orderBy: { id: 'asc' } })

const OTHER_CALLERS: Record<string, () => Promise<AccountCtx | undefined>> = {
  'a caller who is not signed in': async () => undefined,
  'the owner of the account': async () => owner,
  'the owner of another account': () => makeAccount(),
  'a developer': () => makeAccount('DEVELOPER'),
  'a former staff member in a session from before': async () => {
    const former = await makeAccount()
    await makeStaff(former)
    await callAs(former).support.recent()
    await revokeSupport({ email: emailOf(former) })
    return former
  },
}

test.each(names.flatMap((name) => Object.keys(OTHER_CALLERS).map((who) => [name, who] as const)))(
  '%s is not found for %s',
  async (name, who) => {
    const caller = callAs(await OTHER_CALLERS[who]?.())
    const before = await trail()
    const nothing = await refusal(raw(caller, name, {}))
    expect(nothing).toEqual({
      name: 'NOT_FOUND',
      message: expect.stringContaining('No endpoint exists at this URL'),
      code: 'NOT_FOUND',
      extras: {},
    })
    // Valid input reveals no more than invalid.
    expect(await refusal(CASES[name]?.call(caller) as Promise<unknown>)).toEqual(nothing)
    expect(await trail()).toEqual(before)
  },
)

test.each(names)('%s works for support staff, and is recorded in the audit log of the account', async (name) => {
  const { call, page, of, change, reasonField = 'reason', eachTime, once } = CASES[name] as (typeof CASES)[string]
  await db().apiKey.update({ where: { id: key.id }, data: { dailyQuota: null, disabledAt: null } })
  await db().account.update({ where: { id: owner.accountId }, data: { tier: 'FREE' } })
  await asked()
  const before = await trail()
  await call(callAs(staff))
  if (once) expect(await refusal(call(callAs(staff)))).toMatchObject({ code: 'CONFLICT' })
  else await call(callAs(staff))
  const written = (await trail()).slice(before.length)
  const { actor: who } = staff as { actor: { userId?: string } }
  const actor = `support:${who.userId}`
  if (page)
    expect(written).toMatchObject([
      { actor, action: 'support.view', subject: of?.() ?? owner.accountId, actorEmail: emailOf(staff), after: { page } },
    ])
  else if (change) {
    const row = { actor, action: change, actorEmail: emailOf(staff), after: { [reasonField]: REASON } }
    // Setting an existing value is no change.
    expect(written).toMatchObject(eachTime ? [row, row] : [row])
  } else expect(written).toEqual([])
})

test('records each viewed object once: two videos, two entries; the same again, none', async () => {
  const { support } = callAs(staff)
  const other = await makeVideo(owner)
  const before = (await trail()).length
  for (const videoId of [video, other, video, other]) await support.video({ accountId: owner.accountId, videoId })
  expect((await trail()).slice(before).map(({ action, subject }) => [action, subject])).toEqual([
    ['support.view', video],
    ['support.view', other],
  ])
})

test('a search records every account that it shows, and no other', async () => {
  const [one, two, three] = [await makeAccount(), await makeAccount(), await makeAccount()]
  for (const { accountId } of [one, two]) await db().account.update({ where: { id: accountId }, data: { name: `Shown ${one.accountId}` } })
  await callAs(staff).support.find({ text: `Shown ${one.accountId}` })
  const noted = await db().auditEntry.findMany({
    where: { action: 'support.view', accountId: { in: [one, two, three].map((ctx) => ctx.accountId) } },
  })
  expect(noted.map(({ accountId }) => accountId).sort()).toEqual([one.accountId, two.accountId].sort())
})

test('nothing that support sees holds a secret', async () => {
  const { hash } = await db().apiKey.findUniqueOrThrow({ where: { id: key.id } })
  await asked()
  for (const { call } of Object.values(CASES)) {
    // Restores the state that the case expects.
    await db().apiKey.update({ where: { id: key.id }, data: { dailyQuota: null } })
    const text = JSON.stringify((await call(callAs(staff))) ?? null)
    for (const secret of [key.value, Buffer.from(hash).toString('hex'), Buffer.from(hash).toString('base64'), 'passwordHash', 'grant'])
      expect(text).not.toContain(secret)
  }
})

test('returns 404 for a missing account, and for a key and a video of another account', async () => {
  const { support } = callAs(staff)
  const other = await makeAccount()
  for (const accountId of ['acc_nobody', "'; --", 'x'.repeat(64)])
    expect(await refusal(support.account({ accountId }))).toMatchObject({ code: 'NOT_FOUND' })
  expect(await refusal(support.video({ accountId: other.accountId, videoId: video }))).toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  const input = { accountId: other.accountId, keyId: key.id, dailyQuota: 9, reason: 'A wrong account', expected: null }
  expect(await refusal(support.setQuota(input))).toMatchObject({ code: 'NOT_FOUND' })
  expect((await db().apiKey.findUniqueOrThrow({ where: { id: key.id } })).dailyQuota).not.toBe(9)
})
