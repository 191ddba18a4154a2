import { existsSync, readFileSync } from 'node:fs'
import { TRPCError } from '@trpc/server'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ActionName } from '../audit-actions.ts'
import type { AccountCtx } from '../context.ts'
import { isServiceError } from '../errors.ts'
import { EVENT_TYPES } from '../events.ts'
import { JOBS } from '../jobs.ts'
import { saveFilter } from '../modules/dashboard/library/saved-filters.ts'
import { createShareLink } from '../modules/delivery/sharing/links.ts'
import { invite } from '../modules/identity/members/invite.ts'
import { addToCollection, createCollection } from '../modules/videos/collections/collections.ts'
import { PERMISSIONS, type Permission, ROLE_NAMES, type Role, roleMay } from '../permissions.ts'
import { db } from '../platform/database/database.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeMember, makeVideo, makeViewer } from '../testing/make.ts'
import { makeEndedBulk } from '../testing/make-bulk.ts'
import { makeEndpoint } from '../testing/make-endpoint.ts'
import { makeImport } from '../testing/make-import.ts'
import { appRouter } from './root.ts'

await testDatabase()

/** One object of each kind that a procedure can change. */
interface Things {
  owner: AccountCtx
  key: string
  video: string
  failed: string
  deleted: string
  endpoint: string
  invitation: string
  collection: string
  share: string
  filter: string
  viewer: string
  /** Uploads: an import that failed, and one that is open. */
  failedImport: string
  openImport: string
  /** A bulk action that has ended. */
  bulk: string
  other: string
}

interface Expectation {
  /** A permission; `read`: every role; `self`: every user, about themselves; `open`: without signing in; `staff`: no member as such. */
  who: Permission | 'read' | 'self' | 'open' | 'staff'
  input?: (things: Things) => unknown
  /** The entry that a change by an owner records; otherwise why none is expected here. */
  audits?: ActionName | { file: string; action: ActionName } | { not: string }
}

const read = (input?: Expectation['input']): Expectation => ({ who: 'read', input })
const change = (who: Expectation['who'], audits: Expectation['audits'], input?: Expectation['input']): Expectation => ({
  who,
  audits,
  input,
})
/** Needs more than a call: names the test file, from the project's folder, that checks this entry. */
const proven = (file: string, action: ActionName) => ({ file, action })
const ENTRIES = 'server/modules/audit/entries.db.test.ts'
const SECOND_FACTOR = 'app/api/auth/[...nextauth]/required-second-factor.db.test.ts'
const staff: Expectation = { who: 'staff' }
const fields = { url: 'https://hooks.example.com/other', events: ['wallet.refilled'] }
const days = { from: '2026-01-01', to: '2026-01-02' }

/** The permission that every procedure requires, and its audit entry. A missing procedure fails the first test. */
const EXPECTED: Record<string, Expectation> = {
  'account.signUp': { who: 'open', audits: proven('server/modules/identity/sign-in/sign-in.db.test.ts', 'account.sign-up') },
  'account.dismissAnnouncement': {
    who: 'self',
    audits: { not: 'hides a message from one user' },
    input: () => ({ announcementId: 'ann_none' }),
  },
  'account.beginSignUp': { who: 'open', audits: { not: 'changes nothing yet' } },
  'account.finishSignUp': { who: 'open', audits: proven('server/modules/identity/sign-in/sign-up-by-mail.db.test.ts', 'account.sign-up') },
  'account.me': read(),
  'account.settings': read(),
  'account.overview': read(),
  'account.records': read(),
  'account.storage': read(),
  'account.firstSteps': read(),
  'account.firstStepsDone': change('self', 'account.firstSteps'),
  'account.setEmbedDomains': change('settings.change', 'account.embedDomains', () => ({ domains: ['example.com'], expected: [] })),
  'account.setDownloads': change('settings.change', 'account.downloads', () => ({ downloads: true, expected: false })),
  'account.setPlaysEarly': change('settings.change', 'account.playsEarly', () => ({ playsEarly: false, expected: true })),
  'account.setAutoCaptions': change('settings.change', 'account.autoCaptions', () => ({ autoCaptions: true, expected: false })),
  'account.setPictureQuality': change('settings.change', 'account.pictureQuality', () => ({
    pictureQuality: 'high',
    expected: 'standard',
  })),
  'account.setViewers': change('settings.change', 'account.viewers', () => ({
    ...{ viewerRetentionDays: 30, completedPercent: 80 },
    expected: { viewerRetentionDays: 400, completedPercent: 90 },
  })),
  'account.thresholds': read(),
  'account.setThresholds': change('settings.change', 'account.thresholds', () => ({
    ...{ quota: '80', spend: '', storage: '', storageGb: '', recipients: [] },
    expected: { quota: '', spend: '', storage: '', storageGb: '', recipients: [] },
  })),
  'account.rename': change('settings.change', 'account.rename', () => ({ name: 'Another', expected: 'Test' })),
  'account.delete': change('account.delete', { not: 'the log goes with the account' }, () => ({ name: 'No such name', password: '' })),
  'audit.list': read(() => ({})),
  'audit.choices': read(),
  'billing.overview': read(),
  'billing.spend': read(() => ({ days: 7 })),
  'billing.ledger': read(() => ({})),
  'billing.months': read(),
  'billing.statement': read(() => ({ month: new Date().toISOString().slice(0, 7) })),
  'billing.simulate': read(() => ({ volume: 100, price: '0.5', dailyQuota: 1_000 })),
  'billing.setTier': change('billing.change', 'billing.tier', () => ({ tier: 'PAID', expected: 'FREE' })),
  'billing.setLimits': change('billing.change', 'billing.limits', () => ({
    ...{ lowBalanceThreshold: '1', monthCap: '2' },
    expected: { lowBalanceThreshold: null, monthCap: null },
  })),
  'billing.setKeyCap': change('billing.change', 'billing.key_cap', ({ key }) => ({
    keyId: key,
    monthCap: '1',
    expected: { monthCap: null },
  })),
  'billing.topUp': change('billing.change', proven('server/modules/billing/payments.db.test.ts', 'billing.checkout'), () => ({
    credits: 10,
  })),
  'billing.quotaRequests': read(({ key }) => ({ keyId: key })),
  'billing.requestQuota': change('billing.change', proven(ENTRIES, 'billing.quota.request'), ({ key }) => ({
    keyId: key,
    requestedQuota: 200_000,
    reason: 'A large launch',
  })),
  'captions.editor': read(({ video }) => ({ videoId: video, language: 'en' })),
  'captions.version': read(({ video }) => ({ videoId: video, language: 'en', number: 1 })),
  'captions.saveDraft': change('videos.change', { not: 'changes nothing that viewers get; publishing it is recorded' }, ({ video }) => ({
    ...{ videoId: video, language: 'fr', text: 'WEBVTT', revision: 0, basedOn: null },
  })),
  'captions.discardDraft': change('videos.change', { not: 'changes nothing that viewers get' }, ({ video }) => ({
    ...{ videoId: video, language: 'fr', revision: 1 },
  })),
  'captions.publishDraft': change(
    'videos.change',
    proven('server/modules/videos/captions/drafts.db.test.ts', 'video.captions'),
    ({ video }) => ({ videoId: video, language: 'fr', revision: 1, expected: null }),
  ),
  'library.count': read(() => ({})),
  'library.bulk': read(),
  'library.problems': read(({ bulk }) => ({ actionId: bulk })),
  'library.start': change('videos.change', 'library.bulk', ({ video }) => ({ kind: 'delete', target: { ids: [video] } })),
  'library.undo': change('videos.change', 'library.bulk', ({ bulk }) => ({ actionId: bulk })),
  'library.cancel': change('videos.change', proven('server/modules/dashboard/library/bulk.db.test.ts', 'library.cancel'), ({ bulk }) => ({
    actionId: bulk,
  })),
  'library.filters': read(),
  'library.saveFilter': change('videos.change', 'library.filter.save', () => ({ name: 'Failed', query: 'filter=FAILED', shared: true })),
  'library.removeFilter': change('videos.change', 'library.filter.remove', ({ filter }) => ({ filterId: filter })),
  'upload.list': read(() => ({})),
  'upload.import': change('videos.change', proven('server/modules/dashboard/list-uploads.db.test.ts', 'video.upload'), () => ({
    url: 'https://storage.example.com/clip.mp4',
  })),
  'upload.importAgain': change(
    'videos.change',
    proven('server/modules/dashboard/list-uploads.db.test.ts', 'video.upload'),
    ({ failedImport }) => ({ uploadId: failedImport, url: 'https://storage.example.com/clip.mp4' }),
  ),
  'upload.cancel': change('videos.change', 'upload.cancel', ({ openImport }) => ({ uploadId: openImport })),
  'share.list': read(({ video }) => ({ videoId: video })),
  'share.create': change('videos.change', 'share.create', ({ video }) => ({
    ...{ videoId: video, name: '', expiresInHours: 1, maxViews: null, unfurls: false },
  })),
  'share.revoke': change('videos.change', 'share.revoke', ({ share }) => ({ linkId: share })),
  'collection.list': read(),
  'collection.create': change('videos.change', 'collection.create', () => ({ name: 'Another' })),
  'collection.rename': change('videos.change', 'collection.rename', ({ collection }) => ({
    ...{ collectionId: collection, name: 'Renamed', expected: 'Physics' },
  })),
  'collection.remove': change('videos.change', 'collection.remove', ({ collection }) => ({ collectionId: collection })),
  'collection.add': change('videos.change', 'collection.add', ({ collection, video }) => ({ collectionId: collection, videoId: video })),
  'collection.take': change('videos.change', 'collection.take', ({ collection, failed }) => ({
    collectionId: collection,
    videoId: failed,
  })),
  'key.list': read(),
  'key.get': read(({ key }) => ({ keyId: key })),
  'key.create': change('keys.change', 'key.create', () => ({ name: 'Mine', environment: 'LIVE', scopes: ['video:read'] })),
  'key.rename': change('keys.change', 'key.rename', ({ key }) => ({ keyId: key, name: 'Another', expected: 'Backend' })),
  'key.restrict': change('keys.change', 'key.restrict', ({ key }) => ({
    keyId: key,
    expiresAt: null,
    allowedIps: ['192.0.2.0/24'],
    expected: { expiresAt: null, allowedIps: [] },
  })),
  'key.setScopes': change('keys.change', 'key.scopes', ({ key }) => ({ keyId: key, scopes: ['billing:read'], expected: ['video:read'] })),
  'key.rotate': change('keys.change', 'key.rotate', ({ key }) => ({ keyId: key, overlapSec: 0 })),
  'key.disable': change('keys.change', 'key.disable', ({ key }) => ({ keyId: key })),
  'key.enable': change('keys.change', proven('server/modules/access/keys/life.process.test.ts', 'key.enable'), ({ key }) => ({
    keyId: key,
  })),
  'key.revoke': change('keys.change', 'key.revoke', ({ key }) => ({ keyId: key })),
  'receipt.list': read(() => ({})),
  'receipt.keyStop': read(({ key }) => ({ keyId: key })),
  'receipt.download': read(() => ({ receiptId: 'rcp_none' })),
  'key.endPlayback': change('keys.change', 'playback.end', ({ key }) => ({ keyId: key })),
  'search.find': read(() => ({ text: 'clip' })),
  'team.list': read(),
  'team.invite': change('team.change', 'team.invite', () => ({ email: 'new@example.com', role: 'VIEWER' })),
  'team.revokeInvitation': change('team.change', 'team.invite.revoke', ({ invitation }) => ({ invitationId: invitation })),
  'team.changeRole': change('team.change', 'team.role', ({ other }) => ({ userId: other, role: 'OWNER', expected: 'VIEWER' })),
  'team.remove': change('team.change', 'team.remove', ({ other }) => ({ userId: other })),
  'team.requireSecondFactor': change('team.change', proven(SECOND_FACTOR, 'team.secondFactor'), () => ({ required: true })),
  'team.leave': change('self', proven(ENTRIES, 'team.leave')),
  // Created for another user, which is refused with the same code whatever the role.
  'team.accept': { who: 'open', audits: proven('server/modules/identity/members/invitation.db.test.ts', 'team.join') },
  'team.getInvitation': { who: 'open', audits: { not: 'changes nothing' } },
  'team.join': { who: 'open', audits: proven('server/modules/identity/members/invitation.db.test.ts', 'team.join') },
  'team.switchAccount': change('self', { not: 'changes nothing of an account' }, ({ owner }) => ({ accountId: owner.accountId })),
  'traffic.usage': read(() => days),
  'traffic.key': read(({ key }) => ({ keyId: key, range: '7d' })),
  'traffic.keyLastHour': read(({ key }) => ({ keyId: key })),
  'traffic.endPlayback': change('videos.change', proven('server/modules/delivery/sessions/end.process.test.ts', 'playback.end'), () => ({
    tokenId: 'tok_none',
  })),
  'traffic.requests': read(() => ({})),
  'traffic.requestCounts': read(() => ({})),
  'traffic.explain': read(() => ({ requestId: 'req_none' })),
  'traffic.watch': read(),
  'user.security': read(),
  'user.sessions': read(),
  'user.endSession': change('self', proven(ENTRIES, 'user.session.end'), () => ({ sessionId: 'ses_none' })),
  'user.endOtherSessions': change('self', proven(ENTRIES, 'user.session.end')),
  'user.changePassword': change('self', proven(ENTRIES, 'user.password.change'), () => ({ current: 'x', password: 'a long password' })),
  'user.requestPasswordReset': { who: 'open', audits: { not: 'changes nothing yet' } },
  'user.getPasswordReset': { who: 'open', audits: { not: 'changes nothing' } },
  'user.resetPassword': { who: 'open', audits: proven('server/modules/identity/sign-in/password-reset.db.test.ts', 'user.password.reset') },
  'user.beginTotp': change('self', proven(ENTRIES, 'user.totp.begin'), () => ({ password: 'x' })),
  'user.confirmTotp': change('self', proven(ENTRIES, 'user.totp.on'), () => ({ code: '123456' })),
  'user.turnOffTotp': change('self', proven(ENTRIES, 'user.totp.off'), () => ({ password: 'x', code: '123456' })),
  'user.renewRecoveryCodes': change('self', proven(ENTRIES, 'user.recovery-codes.renew'), () => ({ code: '123456' })),
  'user.beginLink': change('self', { not: 'changes nothing yet' }, () => ({ provider: 'github', password: 'x' })),
  'user.unlinkIdentity': change('self', proven(ENTRIES, 'user.identity.disconnect'), () => ({ provider: 'github' })),
  'video.list': read(() => ({})),
  'video.get': read(({ video }) => ({ videoId: video })),
  'video.viewers': read(({ video }) => ({ videoId: video })),
  'video.processing': read(({ video }) => ({ videoId: video })),
  'video.watchedEncodings': read(({ video }) => ({ videoId: video })),
  'video.log': read(({ video }) => ({ videoId: video })),
  'video.watch': read(),
  'video.thumbnail': read(({ video }) => ({ videoId: video, time: 1 })),
  'video.posterAt': change(
    'videos.change',
    proven('server/modules/delivery/playlists/thumbnails.process.test.ts', 'video.poster'),
    ({ video }) => ({
      ...{ videoId: video, time: 1 },
    }),
  ),
  'video.choosePoster': change('videos.change', proven(ENTRIES, 'video.poster'), ({ video }) => ({
    ...{ videoId: video, name: '0'.repeat(32), expected: null },
  })),
  'video.uploadPoster': change('videos.change', proven(ENTRIES, 'video.poster'), ({ video }) => ({
    videoId: video,
    image: 'R0lGODlhAQABAAAAACw=',
    expected: null,
  })),
  'video.putCaptions': change('videos.change', 'video.captions', ({ video }) => ({
    videoId: video,
    language: 'en',
    text: 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello',
    expected: null,
  })),
  'video.generateCaptions': change(
    'videos.change',
    proven('server/modules/transcoding/transcripts/transcripts.db.test.ts', 'video.generateCaptions'),
    ({ video }) => ({ videoId: video, language: 'en' }),
  ),
  'video.removeCaptions': change('videos.change', proven(ENTRIES, 'video.captions'), ({ video }) => ({ videoId: video, language: 'en' })),
  'video.edit': change('videos.change', 'video.edit', ({ video }) => ({
    ...{ videoId: video, title: 'Another', expected: { title: 'Clip', description: null } },
  })),
  'video.setMetadata': change('videos.change', 'video.edit', ({ video }) => ({
    ...{ videoId: video, metadata: { a: '1' }, externalId: null, expected: { metadata: {}, externalId: null } },
  })),
  'video.retry': change('videos.change', 'video.retry', ({ failed }) => ({ videoId: failed })),
  'video.reencode': change('videos.change', 'video.reencode', ({ video }) => ({ videoId: video })),
  'video.cancelReplacement': change(
    'videos.change',
    proven('app/v1/video/cancel-replacement.db.test.ts', 'video.cancel-source'),
    ({ video }) => ({ videoId: video }),
  ),
  'video.remove': change('videos.change', 'video.remove', ({ video }) => ({ videoId: video })),
  'video.download': change('videos.change', { not: 'changes nothing of a video; downloads are counted' }, ({ video }) => ({
    videoId: video,
  })),
  'video.endPlayback': change('videos.change', 'playback.end', ({ video }) => ({ videoId: video })),
  'video.restore': change('videos.change', 'video.restore', ({ deleted }) => ({ videoId: deleted })),
  'viewing.preview': read(({ video }) => ({ videoId: video })),
  'viewing.report': read(({ video }) => ({ videoId: video, range: '30d' })),
  'viewing.viewers': read(({ video }) => ({ videoId: video, from: '2026-11-01', to: '2026-11-02' })),
  'viewing.delivered': read(({ video }) => ({ videoId: video, from: '2026-11-01', to: '2026-11-02' })),
  'viewing.live': read(() => undefined),
  'viewing.people': read(() => ({})),
  'viewing.peopleCounts': read(() => ({})),
  'viewing.findPerson': read(() => ({ id: 'student-42' })),
  'viewing.person': read(({ viewer }) => ({ reference: viewer })),
  'viewing.personVideos': read(({ viewer }) => ({ reference: viewer })),
  'viewing.watchers': read(({ video }) => ({ videoId: video })),
  'viewing.endPerson': change('videos.change', 'viewer.end', ({ viewer }) => ({ reference: viewer })),
  'viewing.erasePerson': change('videos.change', 'viewer.erase', ({ viewer }) => ({ reference: viewer })),
  'webhook.list': read(),
  'webhook.get': read(({ endpoint }) => ({ endpointId: endpoint })),
  'webhook.deliveries': read(({ endpoint }) => ({ endpointId: endpoint })),
  'webhook.delivery': read(({ endpoint }) => ({ endpointId: endpoint, eventId: 'evt_none' })),
  'webhook.events': read(() => ({})),
  'webhook.event': read(() => ({ eventId: 'evt_none' })),
  'webhook.watch': read(),
  'webhook.create': change('webhooks.change', 'webhook.create', () => fields),
  'webhook.edit': change('webhooks.change', 'webhook.edit', ({ endpoint }) => ({
    ...{ endpointId: endpoint, ...fields },
    expected: { url: 'https://hooks.example.com/one', description: '', events: EVENT_TYPES, retrySchedule: 'standard' },
  })),
  'webhook.rotate': change('webhooks.change', 'webhook.rotate', ({ endpoint }) => ({ endpointId: endpoint })),
  'webhook.enable': change('webhooks.change', 'webhook.disable', ({ endpoint }) => ({ endpointId: endpoint, enabled: false })),
  'webhook.remove': change('webhooks.change', 'webhook.remove', ({ endpoint }) => ({ endpointId: endpoint })),
  'webhook.test': change('webhooks.change', 'webhook.test', ({ endpoint }) => ({ endpointId: endpoint, type: 'wallet.refilled' })),
  'webhook.replay': change('webhooks.change', proven(ENTRIES, 'webhook.replay'), ({ endpoint }) => ({
    endpointId: endpoint,
    eventId: 'evt_none',
  })),
  'webhook.retryNow': change(
    'webhooks.change',
    proven('server/modules/webhooks/delivery/retry-now.db.test.ts', 'webhook.retry'),
    ({ endpoint }) => ({
      endpointId: endpoint,
      eventId: 'evt_none',
    }),
  ),
  'webhook.replaySince': change('webhooks.change', proven(ENTRIES, 'webhook.replay'), ({ endpoint }) => ({
    endpointId: endpoint,
    which: 'missing',
    since: new Date(0),
  })),
}

const procedures = appRouter._def.procedures as unknown as Record<string, { _def: { type: 'query' | 'mutation' | 'subscription' } }>
const isStaff = (name: string) => /^(?:support|operator)\./.test(name)
const expectationOf = (name: string) => (isStaff(name) ? staff : EXPECTED[name])

async function makeThings(): Promise<Things> {
  const owner = await makeAccount()
  const [key, video, failed, deleted, endpoint, other] = await Promise.all([
    makeKey(owner),
    makeVideo(owner),
    makeVideo(owner, { status: 'FAILED', failureReason: 'Not a video.' }),
    makeVideo(owner, { deletedAt: new Date() }),
    makeEndpoint(owner, 'https://hooks.example.com/one'),
    makeMember(owner, 'VIEWER'),
  ])
  const { id: invitation } = await invite(owner, { email: 'guest@example.com', role: 'VIEWER' })
  const { id: collection } = await createCollection(owner, { name: 'Physics' })
  await addToCollection(owner, { collectionId: collection, videoId: failed })
  const { id: share } = await createShareLink(owner, { videoId: video, name: '', expiresInHours: 1, maxViews: null, unfurls: false })
  const { id: filter } = await saveFilter(owner, { name: 'Mine', query: 'filter=FAILED', shared: true })
  return {
    share,
    filter,
    viewer: await makeViewer(owner, 'student-42'),
    bulk: await makeEndedBulk(owner, { kind: 'delete', videoId: deleted }),
    failedImport: await makeImport(owner),
    openImport: await makeImport(owner, { state: 'open' }),
    owner,
    key: key.id,
    video,
    failed,
    deleted,
    endpoint: endpoint.id,
    invitation,
    collection,
    other: (other.actor as { userId: string }).userId,
  }
}

/** Returns the outcome of a call: `done`, or the code of the error. */
async function call(session: AccountCtx | undefined, name: string, input: unknown): Promise<string> {
  const ending = new AbortController()
  const caller = appRouter.createCaller(
    { visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true },
    { signal: ending.signal },
  )
  const [group, verb] = name.split('.') as [string, string]
  const procedure = (caller as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>)[group]?.[verb]
  try {
    await procedure?.(input)
    return 'done'
  } catch (error) {
    if (error instanceof TRPCError && isServiceError(error.cause)) return error.cause.code
    if (error instanceof TRPCError && error.code === 'BAD_REQUEST') return 'INVALID_REQUEST'
    throw error
  } finally {
    ending.abort()
  }
}

it('every procedure declares its permission', () => {
  const names = Object.keys(procedures)
  expect(names.length).toBeGreaterThan(60)
  expect(names.filter((name) => !expectationOf(name))).toEqual([])
  expect(Object.keys(EXPECTED).filter((name) => !procedures[name])).toEqual([])
})

it('every mutation declares its audit entry', () => {
  const silent = Object.entries(procedures).filter(
    ([name, { _def }]) => _def.type === 'mutation' && !isStaff(name) && !EXPECTED[name]?.audits,
  )
  expect(silent.map(([name]) => name)).toEqual([])
})

it('every test file named for an entry exists, and checks it', () => {
  const named = Object.values(EXPECTED).flatMap(({ audits }) => (typeof audits === 'object' && 'file' in audits ? [audits] : []))
  expect(named.length).toBeGreaterThan(10)
  const missing = named.filter(({ file, action }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(`'${action}'`))
  expect(missing).toEqual([])
})

let shared: Things
beforeAll(async () => {
  await startQueue(JOBS)
  shared = await makeThings()
  return stopQueue
})

const held = Object.keys(procedures).filter((name) => expectationOf(name)?.who !== 'open')

describe.each(ROLE_NAMES)('%s', (role: Role) => {
  it.each(held)('%s', async (name) => {
    const { who, input } = expectationOf(name) as Expectation
    const isPermission = who !== 'read' && who !== 'self' && who !== 'staff' && who !== 'open'
    const refused = isPermission && !roleMay(role, who)
    // Refused calls and reads change nothing: those share their objects.
    const things = refused || procedures[name]?._def.type !== 'mutation' ? shared : await makeThings()
    const before = await traces(things)
    const member = role === 'OWNER' ? things.owner : await makeMember(things.owner, role)
    const came = await call(member, name, input?.(things))
    if (who === 'staff') return expect(came).toBe('NOT_FOUND')
    if (refused) {
      expect(came).toBe('FORBIDDEN')
      return expect(await traces(things)).toEqual(before)
    }
    expect(came).not.toBe('FORBIDDEN')
    const { audits } = expectationOf(name) as Expectation
    if (role === 'OWNER' && typeof audits === 'string') {
      expect(came).toBe('done')
      const [last] = await db().auditEntry.findMany({ where: { accountId: things.owner.accountId }, orderBy: { id: 'desc' }, take: 1 })
      const { userId, email } = things.owner.actor as { userId: string; email: string }
      expect(last).toMatchObject({ action: audits, actor: userId, actorEmail: email })
    }
  })
})

describe('an owner of a suspended account', () => {
  const changes = held.filter(
    (name) => (expectationOf(name) as Expectation).who in PERMISSIONS && procedures[name]?._def.type === 'mutation',
  )

  it.each(changes)('%s is refused, unless it deletes the account', async (name) => {
    const before = await traces(shared)
    const came = await call({ ...shared.owner, suspended: true }, name, expectationOf(name)?.input?.(shared))
    expect(came).toBe(name === 'account.delete' ? 'INVALID_REQUEST' : 'ACCOUNT_SUSPENDED')
    expect(await traces(shared)).toEqual(before)
  })
})

/** Counts the entries of the account's log: every change writes one. */
const traces = ({ owner }: Things) => db().auditEntry.count({ where: { accountId: owner.accountId } })
