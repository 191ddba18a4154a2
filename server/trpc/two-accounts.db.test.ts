import { TRPCError } from '@trpc/server'
import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { isServiceError } from '../errors.ts'
import type { CreatedKey } from '../modules/access/keys/create-key.ts'
import { shownAnnouncements } from '../modules/backoffice/operator/announcements.ts'
import { correctBalance } from '../modules/billing/credit.ts'
import { saveFilter } from '../modules/dashboard/library/saved-filters.ts'
import { createShareLink } from '../modules/delivery/sharing/links.ts'
import { invite } from '../modules/identity/members/invite.ts'
import { addToCollection, createCollection } from '../modules/videos/collections/collections.ts'
import { encodeCursor } from '../platform/database/cursor.ts'
import { db, query } from '../platform/database/database.ts'
import { newId } from '../platform/secrets/crypto.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo, makeViewer } from '../testing/make.ts'
import { makeEndedBulk } from '../testing/make-bulk.ts'
import { emitMany, makeEndpoint } from '../testing/make-endpoint.ts'
import { makeImport } from '../testing/make-import.ts'
import { cookieFor } from '../testing/sign-in.ts'
import { appRouter } from './root.ts'

await testDatabase()

/** Everything an account can own, one of each kind that a procedure looks up. */
interface Belongings {
  ctx: AccountCtx
  key: CreatedKey
  completed: string
  failed: string
  deleted: string
  invitation: string
  endpoint: string
  collection: string
  share: string
  filter: string
  bulk: string
  /** An import that failed. */
  imported: string
  /** A permanently deleted video, with a receipt. */
  purged: string
  event: string
  viewer: string
  /** The secret of the link; known to the invited user alone. */
  invitationToken: string
}
const userOf = ({ ctx }: Belongings) => (ctx.actor as { userId: string }).userId
let theirs: Belongings
let mine: Belongings

async function makeBelongings(): Promise<Belongings> {
  const ctx = await makeAccount()
  const [key, completed, failed, deleted] = await Promise.all([
    makeKey(ctx),
    makeVideo(ctx, { title: `Secret of ${ctx.accountId}`, createdAt: new Date(Date.now() - 60_000) }),
    makeVideo(ctx, { status: 'FAILED', failureReason: 'Not a video.' }),
    makeVideo(ctx, { deletedAt: new Date() }),
    makeVideo(ctx, { status: 'PENDING', createdAt: new Date(Date.now() - 3_600_000) }),
  ])
  await db().keyDay.create({ data: { keyId: key.id, day: new Date(), issued: 7, requests: 9 } })
  await correctBalance(
    { ...ctx, actor: { kind: 'operator' } },
    { credits: 7_000_000n, direction: 'add', reason: `Credit of ${ctx.accountId}` },
  )
  await db().chargeHour.create({
    data: { keyId: key.id, accountId: ctx.accountId, hour: new Date(new Date().setUTCMinutes(0, 0, 0)), tokens: 1, cost: 500n },
  })
  await db().loggedRequest.create({ data: aCall(ctx, key.id) })
  await db().trafficDay.create({ data: { ...A_COUNT, accountId: ctx.accountId, keyId: key.id, day: new Date() } })
  await db().trafficHour.create({
    data: { ...A_COUNT, accountId: ctx.accountId, keyId: key.id, hour: new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000) },
  })
  await db().rendition.create({
    data: {
      mediaId: completed,
      quality: '720p',
      width: 1280,
      height: 720,
      bandwidth: 1,
      averageBandwidth: 1,
      codecs: 'avc1',
      frameRate: 25,
      bytes: 1n,
      segments: [],
    },
  })
  const watched = { accountId: ctx.accountId, day: new Date(), plays: 3 }
  await db().viewDay.create({ data: { ...watched, videoId: completed } })
  await db().viewerDay.create({ data: { ...watched, videoId: completed, dimension: 'country', value: 'DE' } })
  await db().accountViewerDay.create({ data: { ...watched, dimension: 'country', value: 'DE' } })
  const delivered = { day: new Date(), codec: 'av1', stream: '720p', bytes: 7n, saved: 9n }
  await db().deliveredDay.create({ data: { ...delivered, videoId: completed } })
  await db().accountDeliveredDay.create({ data: { ...delivered, accountId: ctx.accountId } })
  await db().liveSession.create({
    data: {
      id: `0-tok_of_${ctx.accountId}`,
      accountId: ctx.accountId,
      videoId: completed,
      beganAt: new Date(),
      seenAt: new Date(Date.now() + 3_600_000),
    },
  })
  const invited = await invite(ctx, { email: `guest-of-${ctx.accountId.toLowerCase()}@example.com`, role: 'DEVELOPER' })
  const invitationToken = invited.url?.split('#').at(-1) ?? ''
  const { id: endpoint } = await makeEndpoint(ctx, 'https://hooks.example.com/one')
  const [event = ''] = await emitMany(ctx, 1)
  await db().keyStop.create({ data: { id: newId('rcp'), accountId: ctx.accountId, keyId: key.id, kind: 'key.revocation', at: new Date() } })
  const purged = newId('vid')
  await db().deletion.create({
    data: {
      ...{ id: newId('rcp'), accountId: ctx.accountId, kind: 'video.deletion', subject: purged, title: `Gone of ${ctx.accountId}` },
      ...{ deletedAt: new Date(), rows: { video: 1 }, verifiedAt: new Date() },
    },
  })
  const viewer = await makeViewer(ctx, `viewer of ${ctx.accountId}`)
  await query(
    '',
    `INSERT INTO viewer_progress (account_id, viewer_id, video_id, seconds, watched_sec, duration_sec, position_sec)
     VALUES ($1, $2, $3, B'1', 1, 1, 1)`,
    [ctx.accountId, viewer, completed],
  )
  const { id: collection } = await createCollection(ctx, { name: `Course of ${ctx.accountId}` })
  await addToCollection(ctx, { collectionId: collection, videoId: completed })
  const { id: share } = await createShareLink(ctx, {
    ...{ videoId: completed, name: `Review of ${ctx.accountId}`, expiresInHours: 1, maxViews: null, unfurls: false },
  })
  const { id: filter } = await saveFilter(ctx, { name: `Filter of ${ctx.accountId}`, query: 'filter=FAILED', shared: true })
  const bulk = await makeEndedBulk(ctx, { kind: 'delete', videoId: deleted })
  return {
    ...{ share, filter, bulk, imported: await makeImport(ctx) },
    ctx,
    key,
    completed,
    failed,
    deleted,
    endpoint,
    collection,
    event,
    viewer,
    purged,
    invitation: invited.id,
    invitationToken,
  }
}

const A_COUNT = { operation: 'getVideo', status: 200, requests: 5, latency: [5] }

/** Adds a call to the account's request log. */
const aCall = ({ accountId }: AccountCtx, keyId: string) => {
  const facts = {
    method: 'GET',
    operation: 'getVideo',
    path: `/v1/video/of_${accountId}`,
    query: '',
    status: 200,
    durationMs: 1,
    responseHeaders: {},
  }
  return { ...facts, id: `req_of_${accountId}`, accountId, keyId, at: new Date(), tokenId: `tok_of_${accountId}` }
}

beforeAll(async () => {
  theirs = await makeBelongings()
  mine = await makeBelongings()
  for (const { ctx } of [theirs, mine]) await cookieFor(ctx)
})

const callAs = ({ ctx }: Belongings, signal?: AbortSignal) =>
  appRouter.createCaller(
    { visitor: { address: '192.0.2.1' }, requestId: 'req_test', session: ctx, sameOrigin: true },
    signal ? { signal } : {},
  )
type Caller = ReturnType<typeof callAs>

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

/** Requests another account's object and one that never existed: the refusals must be identical. */
async function sameRefusal(code: string, foreign: string, ask: (id: string) => Promise<unknown>): Promise<void> {
  const absent = foreign.slice(0, 5) + foreign.slice(5).split('').reverse().join('')
  const [one, other] = [await refusal(ask(foreign)), await refusal(ask(absent))]
  expect(one).toEqual(other)
  expect(one).toMatchObject({ code })
}

const sessionOfTheirs = async () => (await db().userSession.findFirstOrThrow({ where: { userId: userOf(theirs) } })).id

const tellsNothing = (answer: unknown) => {
  const text = JSON.stringify(answer)
  for (const secret of [
    theirs.ctx.accountId,
    theirs.completed,
    theirs.failed,
    theirs.deleted,
    theirs.key.id,
    theirs.key.prefix,
    theirs.viewer,
  ])
    expect(text).not.toContain(secret)
}

/** For each procedure: what a member of another account attempts. A procedure without a case fails the test below. */
const CASES: Record<string, (call: Caller) => Promise<void>> = {
  'account.signUp': async (call) => {
    const { email } = theirs.ctx.actor as { email: string }
    await refusal(call.account.signUp({ email, password: 'a password of no account', name: 'Mine' } as never))
  },
  'account.beginSignUp': async (call) => {
    const { email } = theirs.ctx.actor as { email: string }
    expect(await refusal(call.account.beginSignUp({ email }))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  },
  'account.finishSignUp': async (call) => {
    expect(await refusal(call.account.finishSignUp({ token: 'a'.repeat(32), password: 'a password of no account' }))).toMatchObject({
      code: 'NOT_FOUND',
    })
  },
  'account.me': async (call) => {
    const me = await call.account.me()
    tellsNothing(me)
    expect(me.account.id).toBe(mine.ctx.accountId)
  },
  'account.overview': async (call) => {
    const overview = await call.account.overview()
    tellsNothing(overview)
    expect(overview).toMatchObject({ keys: 1, videos: { completed: 1, failed: 1 }, attention: [{ kind: 'videos-failed', count: 1 }] })
    expect(overview.days.at(-1)).toMatchObject({ requests: 5, issued: 7 })
  },
  'account.records': async (call) => {
    await db().storageCount.create({ data: { accountId: theirs.ctx.accountId, metadataBytes: 1_000_000, eventBytes: 1_000_000 } })
    const { used, limits } = await call.account.records()
    expect([used.metadataBytes < 1_000_000, used.eventBytes < 1_000_000, limits.auditDayBytes]).toEqual([true, true, 20_000_000])
  },
  'account.storage': async (call) => {
    // Each account has four videos of a byte, one of which has a rendition of a byte.
    expect(await call.account.storage()).toMatchObject({ originalBytes: 4, renditionBytes: 1, totalBytes: 5, videos: 4, uploads: 0 })
  },
  'account.firstSteps': async (call) => {
    const steps = await call.account.firstSteps()
    tellsNothing(steps)
    expect(steps).toMatchObject({ shown: true, uploaded: true, key: true, called: false, playableVideoId: mine.completed })
  },
  'account.dismissAnnouncement': async (call) => {
    await db().announcement.create({ data: { id: 'ann_one', level: 'info', message: 'News', startsAt: new Date(0) } })
    await call.account.dismissAnnouncement({ announcementId: 'ann_one' })
    expect(await shownAnnouncements(theirs.ctx)).toMatchObject([{ id: 'ann_one' }])
    await db().announcement.deleteMany()
  },
  'account.firstStepsDone': async (call) => {
    await call.account.firstStepsDone()
    expect(await callAs(theirs).account.firstSteps()).toMatchObject({ shown: true })
  },
  'account.settings': async (call) => {
    expect(await call.account.settings()).toEqual({
      ...{ speechOff: expect.stringContaining('WHISPER_MODEL'), speechLanguages: null },
      transcribedMinutes: { used: 0, limit: 10_000 },
      ...{ embedDomains: [], playsEarly: true, downloads: false, pictureQuality: 'standard', autoCaptions: false, mayChange: true },
      ...{ viewerRetentionDays: 400, completedPercent: 90 },
    })
  },
  'account.thresholds': async (call) => {
    const settings = await call.account.thresholds()
    tellsNothing(settings)
    expect(settings.members.map(({ userId }) => userId)).not.toContain(userOf(theirs))
  },
  'account.setThresholds': async (call) => {
    const none = { quota: '', spend: '', storage: '', storageGb: '', recipients: [] as string[] }
    const foreign = { ...none, recipients: [userOf(theirs)] }
    await expect(call.account.setThresholds({ ...foreign, expected: none })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
    await call.account.setThresholds({ ...none, quota: '80', expected: none, accountId: theirs.ctx.accountId } as never)
    const { alertQuotaPercents } = await db().account.findUniqueOrThrow({ where: { id: theirs.ctx.accountId } })
    expect(alertQuotaPercents).toEqual([])
  },
  'account.setDownloads': async (call) => {
    await call.account.setDownloads({ downloads: true, expected: false, accountId: theirs.ctx.accountId } as never)
    const { downloads } = await db().account.findUniqueOrThrow({ where: { id: theirs.ctx.accountId } })
    expect(downloads).toBe(false)
  },
  'account.setPlaysEarly': async (call) => {
    await call.account.setPlaysEarly({ playsEarly: false, expected: true, accountId: theirs.ctx.accountId } as never)
    const { playsEarly } = await db().account.findUniqueOrThrow({ where: { id: theirs.ctx.accountId } })
    expect(playsEarly).toBe(true)
  },
  'account.setAutoCaptions': async (call) => {
    await call.account.setAutoCaptions({ autoCaptions: true, expected: false, accountId: theirs.ctx.accountId } as never)
    const { autoCaptions } = await db().account.findUniqueOrThrow({ where: { id: theirs.ctx.accountId } })
    expect(autoCaptions).toBe(false)
  },
  'account.setPictureQuality': async (call) => {
    await call.account.setPictureQuality({ pictureQuality: 'high', expected: 'standard', accountId: theirs.ctx.accountId } as never)
    const { pictureQuality } = await db().account.findUniqueOrThrow({ where: { id: theirs.ctx.accountId } })
    expect(pictureQuality).toBe('standard')
  },
  'account.setViewers': async (call) => {
    const [before, after] = [
      { viewerRetentionDays: 400, completedPercent: 90 },
      { viewerRetentionDays: 30, completedPercent: 80 },
    ]
    await call.account.setViewers({ ...after, expected: before, accountId: theirs.ctx.accountId } as never)
    const { viewerRetentionDays, completedPercent } = await db().account.findUniqueOrThrow({ where: { id: theirs.ctx.accountId } })
    expect({ viewerRetentionDays, completedPercent }).toEqual(before)
  },
  'account.setEmbedDomains': async (call) => {
    await call.account.setEmbedDomains({ domains: ['mine.example'], expected: [], accountId: theirs.ctx.accountId } as never)
    const { embedDomains } = await db().account.findUniqueOrThrow({ where: { id: theirs.ctx.accountId } })
    expect(embedDomains).toEqual([])
  },
  'account.rename': async (call) => {
    await call.account.rename({ name: 'Mine alone', expected: 'Test', accountId: theirs.ctx.accountId } as never)
    expect(await db().account.findUniqueOrThrow({ where: { id: mine.ctx.accountId } })).toMatchObject({ name: 'Mine alone' })
  },
  'account.delete': async (call) => {
    const { name } = await db().account.findUniqueOrThrow({ where: { id: theirs.ctx.accountId } })
    await refusal(call.account.delete({ name, password: 'any', accountId: theirs.ctx.accountId } as never))
  },
  'user.security': async (call) => tellsNothing(await call.user.security()),
  'user.sessions': async (call) => {
    const sessions = await call.user.sessions()
    expect(sessions).toHaveLength(1)
    expect(sessions[0]?.id).not.toBe(await sessionOfTheirs())
  },
  'user.endSession': async (call) => {
    const id = await sessionOfTheirs()
    await sameRefusal('NOT_FOUND', id, (sessionId) => call.user.endSession({ sessionId }))
    expect(await db().userSession.count({ where: { id } })).toBe(1)
  },
  'user.endOtherSessions': async (call) => {
    const id = await sessionOfTheirs()
    expect(await call.user.endOtherSessions()).toEqual({ ended: 1 })
    expect(await db().userSession.count({ where: { id } })).toBe(1)
  },
  'user.changePassword': async (call) => {
    await refusal(call.user.changePassword({ current: 'none', password: 'a password of mine', userId: userOf(theirs) } as never))
  },
  'user.requestPasswordReset': async (call) => {
    const { email } = theirs.ctx.actor as { email: string }
    await refusal(call.user.requestPasswordReset({ email }))
  },
  'user.getPasswordReset': async (call) => {
    expect(await refusal(call.user.getPasswordReset({ token: 'x'.repeat(32) }))).toMatchObject({ code: 'NOT_FOUND' })
  },
  'user.resetPassword': async (call) => {
    const refused = await refusal(call.user.resetPassword({ token: 'x'.repeat(32), password: 'a password of mine' }))
    expect(refused).toMatchObject({ code: 'NOT_FOUND' })
  },
  'user.beginTotp': async (call) => void (await refusal(call.user.beginTotp({ password: 'none', userId: userOf(theirs) } as never))),
  'user.confirmTotp': async (call) => void (await refusal(call.user.confirmTotp({ code: '123456', userId: userOf(theirs) } as never))),
  'user.turnOffTotp': async (call) =>
    void (await refusal(call.user.turnOffTotp({ password: 'none', code: '123456', userId: userOf(theirs) } as never))),
  'user.renewRecoveryCodes': async (call) =>
    void (await refusal(call.user.renewRecoveryCodes({ code: '123456', userId: userOf(theirs) } as never))),
  'user.beginLink': async (call) => {
    expect(await refusal(call.user.beginLink({ provider: 'oidc', password: 'none' }))).toMatchObject({ code: 'NOT_FOUND' })
  },
  'user.unlinkIdentity': async (call) => {
    const identity = { issuer: 'https://id.example', subject: 'them', provider: 'oidc', email: 'them@example.com' }
    await db().userIdentity.create({ data: { ...identity, userId: userOf(theirs) } })
    expect(await refusal(call.user.unlinkIdentity({ provider: 'oidc' }))).toMatchObject({ code: 'NOT_FOUND' })
    expect(await db().userIdentity.count({ where: { userId: userOf(theirs) } })).toBe(1)
  },
  'audit.list': async (call) => {
    const { entries } = await call.audit.list({})
    tellsNothing(entries)
    expect(entries.some(({ subject }) => subject.id === mine.key.id)).toBe(true)
    // A cursor of their log selects nothing except this account's own entries.
    for (const { id } of await db().auditEntry.findMany({ where: { accountId: theirs.ctx.accountId } }))
      tellsNothing(await call.audit.list({ cursor: String(id + 1n) }))
  },
  'audit.choices': async (call) => tellsNothing(await call.audit.choices()),
  'billing.overview': async (call) => {
    const overview = await call.billing.overview()
    tellsNothing(overview)
    expect(overview).toMatchObject({ balance: '7', keys: [{ id: mine.key.id, monthSpent: '0.0005' }] })
  },
  'billing.spend': async (call) => {
    const { keys, tokens } = await call.billing.spend({ days: 30, accountId: theirs.ctx.accountId } as never)
    tellsNothing(keys)
    expect([keys.map(({ keyId }) => keyId), tokens]).toEqual([[mine.key.id], 1])
  },
  'billing.ledger': async (call) => {
    const ledger = await call.billing.ledger({ accountId: theirs.ctx.accountId } as never)
    tellsNothing(ledger)
    expect(ledger.lines.map(({ reason }) => reason)).toEqual([`Credit of ${mine.ctx.accountId}`])
  },
  'billing.months': async (call) => expect(await call.billing.months()).toMatchObject([{ tokens: 1, used: '0.0005', added: '7' }]),
  'billing.statement': async (call) => {
    const month = new Date().toISOString().slice(0, 7)
    const statement = await call.billing.statement({ month, accountId: theirs.ctx.accountId } as never)
    tellsNothing(statement)
    expect(statement).toMatchObject({ account: { id: mine.ctx.accountId }, closing: '6.9995' })
  },
  'billing.simulate': async (call) => {
    const { asked } = await call.billing.simulate({
      volume: 100,
      price: '0.5',
      dailyQuota: 1_000,
      accountId: theirs.ctx.accountId,
    } as never)
    expect(asked).toBe(7)
  },
  'billing.setTier': async (call) => {
    await call.billing.setTier({ tier: 'PAID', expected: 'FREE', accountId: theirs.ctx.accountId } as never)
    await call.billing.setTier({ tier: 'FREE', expected: 'PAID' })
  },
  'billing.setLimits': (call) =>
    call.billing.setLimits({
      lowBalanceThreshold: '1',
      monthCap: '2',
      expected: { lowBalanceThreshold: null, monthCap: null },
      accountId: theirs.ctx.accountId,
    } as never),
  'billing.setKeyCap': (call) =>
    sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.billing.setKeyCap({ keyId, monthCap: '1', expected: { monthCap: null } })),
  'billing.topUp': async (call) => {
    expect(await refusal(call.billing.topUp({ credits: 10, accountId: theirs.ctx.accountId } as never))).toMatchObject({ code: 'CONFLICT' })
  },
  'billing.quotaRequests': async (call) => expect(await call.billing.quotaRequests({ keyId: theirs.key.id })).toEqual([]),
  'billing.requestQuota': (call) =>
    sameRefusal('NOT_FOUND', theirs.key.id, (keyId) =>
      call.billing.requestQuota({ keyId, requestedQuota: 5_000, reason: 'A large launch' }),
    ),
  'key.list': async (call) => {
    const keys = await call.key.list()
    tellsNothing(keys)
    expect(keys.map(({ id }) => id)).toEqual([mine.key.id])
  },
  'key.create': async (call) => {
    const made = await call.key.create({
      name: 'Mine',
      environment: 'LIVE',
      scopes: ['video:read'],
      accountId: theirs.ctx.accountId,
    } as never)
    const { accountId } = await db().apiKey.findUniqueOrThrow({ where: { id: made.id } })
    expect(accountId).toBe(mine.ctx.accountId)
    await db().apiKey.delete({ where: { id: made.id } })
  },
  'receipt.list': async (call) => {
    const { receipts } = await call.receipt.list({})
    tellsNothing(receipts)
    expect(receipts.map(({ subject }) => subject).sort()).toEqual([mine.key.id, mine.purged].sort())
    const [foreign] = await db().deletion.findMany({ where: { accountId: theirs.ctx.accountId } })
    expect(await call.receipt.list({ cursor: foreign?.id })).toEqual(await call.receipt.list({ cursor: 'rcp_none' }))
  },
  'receipt.keyStop': async (call) => {
    expect(await callAs(theirs).receipt.keyStop({ keyId: theirs.key.id })).not.toBeNull()
    expect(await call.receipt.keyStop({ keyId: theirs.key.id })).toBeNull()
  },
  'receipt.download': async (call) => {
    const [{ id = '' } = {}] = await db().deletion.findMany({ where: { accountId: theirs.ctx.accountId } })
    expect((await callAs(theirs).receipt.download({ receiptId: id })).content).toContain(theirs.purged)
    await sameRefusal('NOT_FOUND', id, (receiptId) => call.receipt.download({ receiptId }))
  },
  'key.get': (call) => sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.key.get({ keyId })),
  'key.rename': (call) => sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.key.rename({ keyId, name: 'Mine', expected: 'Backend' })),
  'key.restrict': (call) =>
    sameRefusal('NOT_FOUND', theirs.key.id, (keyId) =>
      call.key.restrict({ keyId, expiresAt: null, allowedIps: ['10.0.0.1'], expected: { expiresAt: null, allowedIps: [] } }),
    ),
  'key.setScopes': (call) =>
    sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.key.setScopes({ keyId, scopes: ['billing:read'], expected: ['video:read'] })),
  'key.disable': (call) => sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.key.disable({ keyId })),
  'key.enable': (call) => sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.key.enable({ keyId })),
  'key.rotate': (call) => sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.key.rotate({ keyId, overlapSec: 0 })),
  'key.revoke': (call) => sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.key.revoke({ keyId })),
  'key.endPlayback': (call) => sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.key.endPlayback({ keyId })),
  'search.find': async (call) => {
    for (const text of ['Secret of', theirs.completed, theirs.key.id, 'Backend', '%', '_']) tellsNothing(await call.search.find({ text }))
    expect((await call.search.find({ text: mine.completed })).videos).toMatchObject([{ id: mine.completed }])
  },
  'team.list': async (call) => {
    const team = await call.team.list()
    tellsNothing(team)
    expect(team.members).toMatchObject([{ you: true }])
    expect(team.invitations.map(({ id }) => id)).toEqual([mine.invitation])
  },
  'team.invite': async (call) => {
    const { id } = await call.team.invite({ email: 'invited@example.com', role: 'OWNER', accountId: theirs.ctx.accountId } as never)
    const { accountId } = await db().invitation.findUniqueOrThrow({ where: { id } })
    expect(accountId).toBe(mine.ctx.accountId)
    await db().invitation.delete({ where: { id } })
  },
  'team.revokeInvitation': (call) =>
    sameRefusal('NOT_FOUND', theirs.invitation, (invitationId) => call.team.revokeInvitation({ invitationId })),
  'team.changeRole': (call) =>
    sameRefusal('NOT_FOUND', userOf(theirs), (userId) => call.team.changeRole({ userId, role: 'VIEWER', expected: 'OWNER' })),
  'team.remove': (call) => sameRefusal('NOT_FOUND', userOf(theirs), (userId) => call.team.remove({ userId })),
  'team.leave': async (call) => {
    // The only owner cannot leave, whichever the account.
    expect(await refusal(call.team.leave())).toMatchObject({ code: 'CONFLICT' })
  },
  'team.accept': async (call) => {
    // A link for another user, and an invalid one.
    expect(await refusal(call.team.accept({ token: theirs.invitationToken }))).toMatchObject({ code: 'FORBIDDEN' })
    expect(await refusal(call.team.accept({ token: '0'.repeat(32) }))).toMatchObject({ code: 'NOT_FOUND' })
  },
  'team.getInvitation': async (call) => {
    expect(await refusal(call.team.getInvitation({ token: '0'.repeat(32) }))).toMatchObject({ code: 'NOT_FOUND' })
  },
  'team.requireSecondFactor': async (call) => {
    await refusal(call.team.requireSecondFactor({ required: true, accountId: theirs.ctx.accountId } as never))
  },
  'team.join': async (call) => {
    expect(await refusal(call.team.join({ token: '0'.repeat(32), password: 'a password of no account' }))).toMatchObject({
      code: 'NOT_FOUND',
    })
  },
  'team.switchAccount': (call) => sameRefusal('NOT_FOUND', theirs.ctx.accountId, (accountId) => call.team.switchAccount({ accountId })),
  'video.list': async (call) => {
    for (const filter of [undefined, 'COMPLETED', 'FAILED', 'DELETED'] as const) tellsNothing(await call.video.list({ filter }))
    for (const search of [theirs.completed, 'Secret of', theirs.ctx.accountId, '%', '_']) tellsNothing(await call.video.list({ search }))
    expect((await call.video.list({ collection: theirs.collection })).videos).toEqual([])
    // A cursor of another account's list is none in this list.
    for (const foreign of [theirs.completed, theirs.failed, theirs.deleted]) {
      await expect(call.video.list({ cursor: foreign })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
      tellsNothing(await call.video.list({ cursor: Buffer.from(JSON.stringify(['2100-01-01', foreign])).toString('base64url') }))
    }
  },
  'video.download': async (call) => {
    for (const foreign of [theirs.completed, theirs.deleted])
      await sameRefusal('VIDEO_NOT_FOUND', foreign, (videoId) => call.video.download({ videoId }))
  },
  'video.get': async (call) => {
    for (const foreign of [theirs.completed, theirs.deleted])
      await sameRefusal('VIDEO_NOT_FOUND', foreign, (videoId) => call.video.get({ videoId }))
    expect((await call.video.get({ videoId: mine.completed })).id).toBe(mine.completed)
  },
  'video.viewers': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.viewers({ videoId })),
  'video.processing': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.processing({ videoId })),
  'video.watchedEncodings': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.watchedEncodings({ videoId })),
  'video.log': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.log({ videoId })),
  'video.thumbnail': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.thumbnail({ videoId, time: 1 })),
  'video.posterAt': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.posterAt({ videoId, time: 1 })),
  'video.choosePoster': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) =>
      call.video.choosePoster({ videoId, name: '0'.repeat(32), expected: null }),
    ),
  'video.uploadPoster': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) =>
      call.video.uploadPoster({ videoId, image: 'R0lGODlhAQABAAAAACw=', expected: null }),
    ),
  'video.putCaptions': (call) => {
    const text = 'WEBVTT\n\n00:00.000 --> 00:01.000\nMine'
    return sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) =>
      call.video.putCaptions({ videoId, language: 'en', text, expected: null }),
    )
  },
  'captions.editor': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.captions.editor({ videoId, language: 'en' })),
  'captions.version': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.captions.version({ videoId, language: 'en', number: 1 })),
  'captions.saveDraft': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) =>
      call.captions.saveDraft({ videoId, language: 'en', text: 'WEBVTT', revision: 0, basedOn: null }),
    ),
  'captions.discardDraft': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.captions.discardDraft({ videoId, language: 'en', revision: 1 })),
  'captions.publishDraft': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) =>
      call.captions.publishDraft({ videoId, language: 'en', revision: 1, expected: null }),
    ),
  'video.removeCaptions': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.removeCaptions({ videoId, language: 'en' })),
  'video.generateCaptions': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.generateCaptions({ videoId, language: 'en' })),
  'viewing.preview': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.viewing.preview({ videoId })),
  'viewing.report': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.viewing.report({ videoId, range: '30d' })),
  'viewing.viewers': async (call) => {
    const today = new Date().toISOString().slice(0, 10)
    const range = { from: today, to: today }
    const own = await call.viewing.viewers({ ...range, accountId: theirs.ctx.accountId } as never)
    tellsNothing(own)
    expect(own.videos).toMatchObject([{ videoId: mine.completed, plays: 3 }])
    expect(own.by.country).toMatchObject([{ value: 'DE', plays: 3 }])
    await sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.viewing.viewers({ ...range, videoId }))
  },
  'viewing.delivered': async (call) => {
    const today = new Date().toISOString().slice(0, 10)
    const range = { from: today, to: today }
    const own = await call.viewing.delivered({ ...range, accountId: theirs.ctx.accountId } as never)
    expect(own.totals).toEqual({ h264: 0, av1: 7, audio: 0, saved: 9 })
    expect((await call.viewing.delivered({ ...range, videoId: mine.completed })).streams).toEqual([
      { codec: 'av1', stream: '720p', bytes: 7, saved: 9 },
    ])
    await sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.viewing.delivered({ ...range, videoId }))
  },
  'viewing.live': async (call) => {
    const live = await call.viewing.live({ accountId: theirs.ctx.accountId } as never)
    tellsNothing(live)
    expect(live).toMatchObject({ viewers: 1, videos: [{ videoId: mine.completed }] })
  },
  'viewing.people': async (call) => {
    const list = await call.viewing.people({ accountId: theirs.ctx.accountId } as never)
    expect(list.people).toMatchObject([{ reference: mine.viewer, id: `viewer of ${mine.ctx.accountId}`, videos: 1 }])
    tellsNothing(list)
  },
  'viewing.peopleCounts': async (call) => {
    expect(await call.viewing.peopleCounts({ accountId: theirs.ctx.accountId } as never)).toMatchObject({ people: 1, sessions: 0 })
    expect(await call.viewing.peopleCounts({ videoId: theirs.completed })).toMatchObject({ people: 0, sessions: 0 })
  },
  'viewing.findPerson': async (call) => {
    expect(await call.viewing.findPerson({ id: `viewer of ${theirs.ctx.accountId}` })).toBeNull()
  },
  'viewing.person': (call) => sameRefusal('VIEWER_NOT_FOUND', theirs.viewer, (reference) => call.viewing.person({ reference })),
  'viewing.personVideos': async (call) => {
    expect(await call.viewing.personVideos({ reference: theirs.viewer })).toEqual({ videos: [], nextCursor: null })
  },
  'viewing.watchers': async (call) => {
    expect(await call.viewing.watchers({ videoId: theirs.completed })).toEqual({ watchers: [], nextCursor: null })
    expect((await call.viewing.watchers({ videoId: mine.completed })).watchers).toMatchObject([{ reference: mine.viewer }])
  },
  'viewing.endPerson': (call) => sameRefusal('VIEWER_NOT_FOUND', theirs.viewer, (reference) => call.viewing.endPerson({ reference })),
  'viewing.erasePerson': (call) => sameRefusal('VIEWER_NOT_FOUND', theirs.viewer, (reference) => call.viewing.erasePerson({ reference })),
  'webhook.list': async (call) => {
    const endpoints = await call.webhook.list()
    tellsNothing(endpoints)
    expect(endpoints.map(({ id }) => id)).toEqual([mine.endpoint])
  },
  'share.list': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.share.list({ videoId })),
  'share.create': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) =>
      call.share.create({ videoId, name: '', expiresInHours: 1, maxViews: null, unfurls: false }),
    ),
  'share.revoke': (call) => sameRefusal('NOT_FOUND', theirs.share, (linkId) => call.share.revoke({ linkId })),
  'upload.list': async (call) => {
    const { uploads } = await call.upload.list({})
    tellsNothing(uploads)
    expect(uploads.map(({ id }) => id)).toEqual([mine.imported])
    const cursor = encodeCursor([new Date(Date.now() + 60_000).toISOString(), theirs.imported])
    expect((await call.upload.list({ cursor })).uploads.map(({ id }) => id)).toEqual([mine.imported])
  },
  'upload.import': (call) =>
    sameRefusal('INVALID_REQUEST', theirs.collection, (collection) =>
      call.upload.import({ url: 'https://storage.example.com/clip.mp4', collection }),
    ),
  'upload.importAgain': (call) =>
    sameRefusal('UPLOAD_NOT_FOUND', theirs.imported, (uploadId) =>
      call.upload.importAgain({ uploadId, url: 'https://storage.example.com/clip.mp4' }),
    ),
  'upload.cancel': (call) => sameRefusal('UPLOAD_NOT_FOUND', theirs.imported, (uploadId) => call.upload.cancel({ uploadId })),
  'library.count': async (call) => {
    expect((await call.library.count({ search: 'Secret' })).count).toBe(1)
    expect((await call.library.count({ collection: theirs.collection })).count).toBe(0)
  },
  'library.bulk': async (call) => {
    const actions = await call.library.bulk()
    tellsNothing(actions)
    expect(actions.map(({ id }) => id)).toContain(mine.bulk)
  },
  'library.problems': (call) => sameRefusal('NOT_FOUND', theirs.bulk, (actionId) => call.library.problems({ actionId })),
  'library.start': async (call) => {
    await sameRefusal('NOT_FOUND', theirs.completed, (id) => call.library.start({ kind: 'delete', target: { ids: [id] } }))
    await sameRefusal('COLLECTION_NOT_FOUND', theirs.collection, (collectionId) =>
      call.library.start({ kind: 'add', collectionId, target: { ids: [mine.completed] } }),
    )
  },
  'library.undo': (call) => sameRefusal('NOT_FOUND', theirs.bulk, (actionId) => call.library.undo({ actionId })),
  'library.cancel': (call) => sameRefusal('NOT_FOUND', theirs.bulk, (actionId) => call.library.cancel({ actionId })),
  'library.filters': async (call) => {
    const filters = await call.library.filters()
    tellsNothing(filters)
    expect(filters.map(({ id }) => id)).toEqual([mine.filter])
  },
  'library.saveFilter': async (call) => {
    // The name of another account is free here.
    const { id } = await call.library.saveFilter({ name: `Filter of ${theirs.ctx.accountId}`, query: 'filter=FAILED', shared: true })
    await call.library.removeFilter({ filterId: id })
  },
  'library.removeFilter': (call) => sameRefusal('NOT_FOUND', theirs.filter, (filterId) => call.library.removeFilter({ filterId })),
  'collection.list': async (call) => {
    const collections = await call.collection.list()
    tellsNothing(collections)
    expect(collections.map(({ id }) => id)).toEqual([mine.collection])
  },
  'collection.create': async (call) => {
    // A name that is in use in another account is free in this one.
    const { id } = await call.collection.create({ name: `Course of ${theirs.ctx.accountId}` })
    await call.collection.remove({ collectionId: id })
  },
  'collection.rename': (call) =>
    sameRefusal('COLLECTION_NOT_FOUND', theirs.collection, (collectionId) =>
      call.collection.rename({ collectionId, name: 'Mine', expected: `Course of ${theirs.ctx.accountId}` }),
    ),
  'collection.remove': (call) =>
    sameRefusal('COLLECTION_NOT_FOUND', theirs.collection, (collectionId) => call.collection.remove({ collectionId })),
  'collection.add': async (call) => {
    await sameRefusal('COLLECTION_NOT_FOUND', theirs.collection, (collectionId) =>
      call.collection.add({ collectionId, videoId: mine.completed }),
    )
    await sameRefusal('VIDEO_NOT_FOUND', theirs.failed, (videoId) => call.collection.add({ collectionId: mine.collection, videoId }))
  },
  'collection.take': async (call) => {
    await sameRefusal('COLLECTION_NOT_FOUND', theirs.collection, (collectionId) =>
      call.collection.take({ collectionId, videoId: mine.completed }),
    )
    await sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.collection.take({ collectionId: mine.collection, videoId }))
  },
  'webhook.get': (call) => sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) => call.webhook.get({ endpointId })),
  'webhook.create': async (call) => {
    const fields = { url: 'https://hooks.example.com/two', events: ['wallet.refilled'], accountId: theirs.ctx.accountId }
    const { id } = await call.webhook.create(fields as never)
    expect(await db().webhookEndpoint.findUniqueOrThrow({ where: { id } })).toMatchObject({ accountId: mine.ctx.accountId })
    await db().webhookEndpoint.delete({ where: { id } })
  },
  'webhook.edit': (call) =>
    sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) =>
      call.webhook.edit({
        ...{ endpointId, url: 'https://hooks.example.com/mine', events: ['wallet.refilled'] },
        expected: { url: 'https://hooks.example.com/one', description: '', events: [], retrySchedule: 'standard' },
      }),
    ),
  'webhook.rotate': (call) => sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) => call.webhook.rotate({ endpointId })),
  'webhook.enable': (call) =>
    sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) => call.webhook.enable({ endpointId, enabled: false })),
  'webhook.remove': (call) => sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) => call.webhook.remove({ endpointId })),
  'webhook.test': (call) =>
    sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) => call.webhook.test({ endpointId, type: 'wallet.refilled' })),
  'webhook.deliveries': (call) => sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) => call.webhook.deliveries({ endpointId })),
  'webhook.delivery': async (call) => {
    await sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) => call.webhook.delivery({ endpointId, eventId: theirs.event }))
    await sameRefusal('NOT_FOUND', theirs.event, (eventId) => call.webhook.delivery({ endpointId: mine.endpoint, eventId }))
  },
  'webhook.replay': async (call) => {
    await sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) => call.webhook.replay({ endpointId, eventId: mine.event }))
    // Their event cannot be delivered to this account either.
    await sameRefusal('NOT_FOUND', theirs.event, (eventId) => call.webhook.replay({ endpointId: mine.endpoint, eventId }))
  },
  'webhook.retryNow': async (call) => {
    await sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) => call.webhook.retryNow({ endpointId, eventId: theirs.event }))
    await sameRefusal('NOT_FOUND', theirs.event, (eventId) => call.webhook.retryNow({ endpointId: mine.endpoint, eventId }))
  },
  'webhook.replaySince': async (call) => {
    const since = new Date(0)
    await sameRefusal('NOT_FOUND', theirs.endpoint, (endpointId) => call.webhook.replaySince({ endpointId, which: 'missing', since }))
    await db().webhookDelivery.deleteMany({ where: { endpointId: mine.endpoint } })
    expect(await call.webhook.replaySince({ endpointId: mine.endpoint, which: 'missing', since })).toEqual({ count: 1 })
    expect(await db().webhookDelivery.count({ where: { endpointId: mine.endpoint, eventId: theirs.event } })).toBe(0)
  },
  'webhook.events': async (call) => {
    for (const cursor of [undefined, '999999999']) {
      const { events } = await call.webhook.events({ cursor })
      tellsNothing(events)
      expect(events.map(({ eventId }) => eventId)).toEqual([mine.event])
    }
  },
  'webhook.event': (call) => sameRefusal('NOT_FOUND', theirs.event, (eventId) => call.webhook.event({ eventId })),
  'webhook.watch': async () => {
    const ending = new AbortController()
    let heard = 0
    for await (const _ of await callAs(mine, ending.signal).webhook.watch()) {
      if (++heard > 1) break
      // Only the second concerns this account.
      await emitMany(theirs.ctx, 1)
      await emitMany(mine.ctx, 1)
    }
    ending.abort()
    expect(heard).toBe(2)
  },
  'traffic.usage': async (call) => {
    const today = new Date().toISOString().slice(0, 10)
    for (const split of ['key', 'endpoint', 'status'] as const) {
      const usage = await call.traffic.usage({ from: '2026-01-01', to: today, split, accountId: theirs.ctx.accountId } as never)
      tellsNothing(usage)
      expect(usage.totals).toMatchObject({ requests: 5, issued: 7 })
    }
  },
  'traffic.key': (call) => sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.traffic.key({ keyId, range: '7d' })),
  'traffic.keyLastHour': (call) => sameRefusal('NOT_FOUND', theirs.key.id, (keyId) => call.traffic.keyLastHour({ keyId })),
  'traffic.endPlayback': (call) =>
    sameRefusal('NOT_FOUND', `tok_of_${theirs.ctx.accountId}`, (tokenId) =>
      call.traffic.endPlayback({ tokenId: tokenId.replace(/^(?!tok_)..../, 'tok_') }),
    ),
  'traffic.requests': async (call) => {
    for (const foreign of [
      {},
      { keyId: theirs.key.id },
      { search: `req_of_${theirs.ctx.accountId}` },
      { search: `tok_of_${theirs.ctx.accountId}` },
      { search: theirs.ctx.accountId },
      { search: '%%%' },
      { videoId: theirs.completed },
      { address: '0.0.0.0/0' },
      { cursor: `9999999999999_req_of_${theirs.ctx.accountId}` },
    ])
      tellsNothing(await call.traffic.requests(foreign))
    expect((await call.traffic.requests({})).requests.map(({ id }) => id)).toEqual([`req_of_${mine.ctx.accountId}`])
  },
  'traffic.requestCounts': async (call) => {
    const counted = async (filter: object) => (await call.traffic.requestCounts(filter)).statuses
    expect(await counted({ keyId: theirs.key.id })).toEqual([])
    expect((await counted({})).reduce((sum, { requests }) => sum + requests, 0)).toBe(5)
  },
  'traffic.explain': (call) =>
    sameRefusal('NOT_FOUND', `req_of_${theirs.ctx.accountId}`, (requestId) => call.traffic.explain({ requestId })),
  'traffic.watch': async () => {
    const ending = new AbortController()
    const expected: unknown[] = []
    for await (const event of await callAs(mine, ending.signal).traffic.watch()) {
      expected.push(event)
      if (expected.length > 1) break
      // Only the second concerns this account.
      for (const { ctx } of [theirs, mine]) await query('', "SELECT pg_notify('reelgate', 'requests:' || $1)", [ctx.accountId])
    }
    ending.abort()
    expect(expected).toEqual([{ type: 'more' }, { type: 'more' }])
  },
  'video.edit': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) =>
      call.video.edit({ videoId, title: 'Mine', expected: { title: 'Clip', description: null } }),
    ),
  'video.setMetadata': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) =>
      call.video.setMetadata({ videoId, metadata: { a: '1' }, externalId: null, expected: { metadata: {}, externalId: null } }),
    ),
  'video.cancelReplacement': (call) =>
    sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.cancelReplacement({ videoId })),
  'video.reencode': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.reencode({ videoId })),
  'video.retry': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.failed, (videoId) => call.video.retry({ videoId })),
  'video.remove': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.remove({ videoId })),
  'video.endPlayback': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.completed, (videoId) => call.video.endPlayback({ videoId })),
  'video.restore': (call) => sameRefusal('VIDEO_NOT_FOUND', theirs.deleted, (videoId) => call.video.restore({ videoId })),
  'video.watch': async () => {
    const ending = new AbortController()
    const events = await callAs(mine, ending.signal).video.watch()
    const expected: unknown[] = []
    for await (const event of events) {
      expected.push(event)
      // First the signal to read the lists; then both accounts change, and only this account's change is reported.
      if (expected.length === 1)
        for (const { failed } of [theirs, mine]) await db().media.update({ where: { id: failed }, data: { progress: 1 } })
      else break
    }
    ending.abort()
    tellsNothing(expected)
    expect(JSON.stringify(expected[1])).toContain(mine.failed)
  },
}

test('every procedure has its case', () => {
  // Those of support staff and operators exist for no other caller: support.db.test.ts and operator.db.test.ts cover each of them.
  const names = Object.keys(appRouter._def.procedures).filter((name) => !/^(?:support|operator)\./.test(name))
  expect(Object.keys(CASES).sort()).toEqual(names.sort())
})

test.each(Object.entries(CASES))('%s shows and changes nothing of another account', async (name, tries) => {
  const before = await possessions()
  await tries(callAs(mine))
  const after = await possessions()
  // The case itself changes the video of theirs that it watches.
  if (name !== 'video.watch') expect(after).toEqual(before)
})

/** Procedures that are open without an account. */
const OPEN = [
  'account.signUp',
  'account.beginSignUp',
  'account.finishSignUp',
  'team.getInvitation',
  'team.join',
  'user.getPasswordReset',
  'user.requestPasswordReset',
  'user.resetPassword',
]

test.each(Object.keys(CASES).filter((name) => !OPEN.includes(name)))('%s refuses a caller who is not signed in', async (name) => {
  const stranger = appRouter.createCaller({
    visitor: { address: '192.0.2.2' },
    requestId: 'req_test',
    session: undefined,
    sameOrigin: true,
  })
  const [group, verb] = name.split('.') as [string, string]
  const procedure = (stranger as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>)[group]?.[verb]
  expect(await refusal((procedure as (input: unknown) => Promise<unknown>)({}))).toMatchObject({ code: 'UNAUTHENTICATED' })
})

/** Returns all rows of the other account. */
async function possessions() {
  const { accountId } = theirs.ctx
  const account = await db().account.findUniqueOrThrow({
    where: { id: accountId },
    include: {
      invitations: true,
      members: { include: { user: true } },
      apiKeys: { include: { days: true } },
      videos: { include: { allMedia: { include: { renditions: true } } } },
    },
  })
  const audit = await db().auditEntry.findMany({ where: { accountId }, orderBy: { id: 'asc' } })
  const wallet = await db().wallet.findUniqueOrThrow({ where: { accountId } })
  const caps = await db().keyCap.findMany({ where: { accountId } })
  const links = await db().shareLink.findMany({ where: { video: { accountId } } })
  const filters = await db().savedFilter.findMany({ where: { accountId } })
  const bulk = await db().bulkAction.findMany({ where: { accountId }, include: { items: true } })
  return { account, audit, wallet, caps, links, filters, bulk }
}
