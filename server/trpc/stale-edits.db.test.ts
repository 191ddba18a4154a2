import { TRPCError } from '@trpc/server'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { isServiceError } from '../errors.ts'
import { JOBS } from '../jobs.ts'
import { saveDraft } from '../modules/videos/captions/drafts.ts'
import { createCollection } from '../modules/videos/collections/collections.ts'
import { db } from '../platform/database/database.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { newId } from '../platform/secrets/crypto.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeMember, makeVideo } from '../testing/make.ts'
import { makeEndpoint } from '../testing/make-endpoint.ts'
import { makeStaff } from '../testing/staff.ts'
import { appRouter } from './root.ts'

await testDatabase()
beforeAll(async () => {
  await startQueue(JOBS)
  return stopQueue
})

interface Things {
  owner: AccountCtx
  key: string
  video: string
  endpoint: string
  member: string
  collection: string
  note: string
  /** Revision of the draft of the captions. */
  draft: number
}

interface Edit {
  /** What the page sends, without the values that it had shown. */
  input: (things: Things) => object
  /** The stored values as a page shows them; another user's change in between; and the values of a page from before both. */
  shown: unknown
  theirs: object
  stale: unknown
  /** The present values in a refusal. */
  reported: object
}

const NO_THRESHOLDS = { quota: '', spend: '', storage: '', storageGb: '', recipients: [] }
const PICTURES = ['a', 'b', 'c'].map((letter) => letter.repeat(32))
const [first = '', second = '', third = ''] = PICTURES
const VTT = (text: string) => `WEBVTT\n\n00:00.000 --> 00:01.000\n${text}`
const RED_DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg=='
const REASON = 'Asked for on the phone'
const ENDPOINT = { description: '', events: ['wallet.refilled'], retrySchedule: 'standard' }

/** Every procedure that changes stored values. One whose input has `expected` and is missing here fails the first test. */
const EDITS: Record<string, Edit> = {
  'account.rename': {
    input: () => ({ name: 'Mine' }),
    ...{ shown: 'Test', theirs: { name: 'Theirs' }, stale: 'Before', reported: { name: 'Test' } },
  },
  'account.setEmbedDomains': {
    input: () => ({ domains: ['mine.example'] }),
    ...{ shown: [], theirs: { domains: ['theirs.example'] }, stale: ['before.example'], reported: { domains: [] } },
  },
  'account.setDownloads': {
    input: () => ({ downloads: true }),
    // There are two values: the stale one equals the requested one, and so does theirs.
    ...{ shown: false, theirs: { downloads: true }, stale: true, reported: { downloads: false } },
  },
  'account.setPlaysEarly': {
    input: () => ({ playsEarly: false }),
    // There are two values: the stale one equals the requested one, and so does theirs.
    ...{ shown: true, theirs: { playsEarly: false }, stale: false, reported: { playsEarly: true } },
  },
  'account.setAutoCaptions': {
    input: () => ({ autoCaptions: true }),
    // There are two values: the stale one equals the requested one, and so does theirs.
    ...{ shown: false, theirs: { autoCaptions: true }, stale: true, reported: { autoCaptions: false } },
  },
  'account.setPictureQuality': {
    input: () => ({ pictureQuality: 'high' }),
    ...{ shown: 'standard', theirs: { pictureQuality: 'economy' }, stale: 'economy', reported: { pictureQuality: 'standard' } },
  },
  'account.setViewers': {
    input: () => ({ viewerRetentionDays: 30, completedPercent: 80 }),
    shown: { viewerRetentionDays: 400, completedPercent: 90 },
    theirs: { viewerRetentionDays: 60, completedPercent: 90 },
    stale: { viewerRetentionDays: 400, completedPercent: 95 },
    reported: { viewerRetentionDays: 400, completedPercent: 90 },
  },
  'account.setThresholds': {
    input: () => ({ ...NO_THRESHOLDS, quota: '80' }),
    shown: NO_THRESHOLDS,
    theirs: { ...NO_THRESHOLDS, storage: '90' },
    stale: { ...NO_THRESHOLDS, spend: '5' },
    reported: NO_THRESHOLDS,
  },
  'billing.setKeyCap': {
    input: ({ key }) => ({ keyId: key, monthCap: '5' }),
    ...{ shown: { monthCap: null }, theirs: { monthCap: '7' }, stale: { monthCap: '3' }, reported: { monthCap: null } },
  },
  'billing.setLimits': {
    input: () => ({ lowBalanceThreshold: '1', monthCap: '5' }),
    shown: { lowBalanceThreshold: null, monthCap: null },
    theirs: { lowBalanceThreshold: null, monthCap: '7' },
    stale: { lowBalanceThreshold: '2', monthCap: null },
    reported: { lowBalanceThreshold: null, monthCap: null },
  },
  'billing.setTier': {
    input: () => ({ tier: 'PAID' }),
    // There are two tiers: the stale value equals the requested one, and so does theirs.
    ...{ shown: 'FREE', theirs: { tier: 'PAID' }, stale: 'PAID', reported: { tier: 'FREE' } },
  },
  'collection.rename': {
    input: ({ collection }) => ({ collectionId: collection, name: 'Mine' }),
    ...{ shown: 'Physics', theirs: { name: 'Theirs' }, stale: 'Before', reported: { name: 'Physics' } },
  },
  'key.rename': {
    input: ({ key }) => ({ keyId: key, name: 'Mine' }),
    ...{ shown: 'Backend', theirs: { name: 'Theirs' }, stale: 'Before', reported: { name: 'Backend' } },
  },
  'key.restrict': {
    input: ({ key }) => ({ keyId: key, expiresAt: null, allowedIps: ['192.0.2.1'] }),
    shown: { expiresAt: null, allowedIps: [] },
    theirs: { allowedIps: ['192.0.2.2'] },
    stale: { expiresAt: null, allowedIps: ['192.0.2.3'] },
    reported: { expiresAt: null, allowedIps: [] },
  },
  'key.setScopes': {
    input: ({ key }) => ({ keyId: key, scopes: ['billing:read'] }),
    ...{ shown: ['video:read'], theirs: { scopes: ['webhook:read'] }, stale: ['video:write'], reported: { scopes: ['video:read'] } },
  },
  'support.changeTier': {
    input: ({ owner }) => ({ accountId: owner.accountId, tier: 'PAID', reason: REASON }),
    ...{ shown: 'FREE', theirs: { tier: 'PAID' }, stale: 'PAID', reported: { tier: 'FREE' } },
  },
  'support.editNote': {
    input: ({ owner, note }) => ({ accountId: owner.accountId, noteId: note, body: 'Mine' }),
    ...{ shown: 'Called', theirs: { body: 'Theirs' }, stale: 'Before', reported: { body: 'Called' } },
  },
  'support.setLimit': {
    input: ({ owner }) => ({ accountId: owner.accountId, name: 'videos', value: 20_000, reason: REASON }),
    ...{ shown: null, theirs: { value: 15_000 }, stale: 12_000, reported: { value: null } },
  },
  'support.setQuota': {
    input: ({ owner, key }) => ({ accountId: owner.accountId, keyId: key, dailyQuota: 5_000, reason: REASON }),
    ...{ shown: null, theirs: { dailyQuota: 7_000 }, stale: 3_000, reported: { dailyQuota: null } },
  },
  'team.changeRole': {
    input: ({ member }) => ({ userId: member, role: 'OWNER' }),
    ...{ shown: 'VIEWER', theirs: { role: 'DEVELOPER' }, stale: 'DEVELOPER', reported: { role: 'VIEWER' } },
  },
  'video.choosePoster': {
    input: ({ video }) => ({ videoId: video, name: second }),
    ...{ shown: first, theirs: { name: third }, stale: null, reported: { poster: first } },
  },
  'video.edit': {
    input: ({ video }) => ({ videoId: video, title: 'Mine', description: null }),
    shown: { title: 'Clip', description: null },
    theirs: { title: 'Theirs' },
    stale: { title: 'Clip', description: 'Before' },
    reported: { title: 'Clip', description: null },
  },
  'video.setMetadata': {
    input: ({ video }) => ({ videoId: video, metadata: { by: 'me' }, externalId: null }),
    shown: { metadata: {}, externalId: null },
    theirs: { metadata: { by: 'them' } },
    stale: { metadata: { a: 'before' }, externalId: null },
    reported: { metadata: {}, externalId: null },
  },
  'captions.publishDraft': {
    input: ({ video, draft }) => ({ videoId: video, language: 'en', revision: draft }),
    shown: { name: first, label: 'English' },
    theirs: { label: 'Theirs' },
    stale: null,
    reported: { captions: { language: 'en', name: first, label: 'English', cues: 1 } },
  },
  'video.putCaptions': {
    input: ({ video }) => ({ videoId: video, language: 'en', text: VTT('Mine') }),
    shown: { name: first, label: 'English' },
    theirs: { text: VTT('Theirs') },
    stale: null,
    reported: { captions: { language: 'en', name: first, label: 'English', cues: 1 } },
  },
  'video.uploadPoster': {
    input: ({ video }) => ({ videoId: video, image: RED_DOT }),
    ...{ shown: first, theirs: {}, stale: second, reported: { poster: first } },
  },
  'webhook.edit': {
    input: ({ endpoint }) => ({ endpointId: endpoint, url: 'https://mine.example/hooks', ...ENDPOINT }),
    shown: { url: 'https://hooks.example.com/one', ...ENDPOINT },
    theirs: { description: 'Theirs' },
    stale: { url: 'https://hooks.example.com/one', ...ENDPOINT, retrySchedule: 'day' },
    reported: { url: 'https://hooks.example.com/one', ...ENDPOINT },
  },
}

/** Returns the state of everything in the table: the changes, their actors, and every value that could have changed. */
const state = async ({ owner: { accountId }, key, video, endpoint }: Things) =>
  JSON.stringify(
    await Promise.all([
      db().account.findUnique({ where: { id: accountId } }),
      db().wallet.findUnique({ where: { accountId } }),
      db().keyCap.findMany({ where: { accountId } }),
      db().apiKey.findUnique({ where: { id: key } }),
      db().membership.findMany({ where: { accountId }, orderBy: { userId: 'asc' } }),
      db().video.findUnique({ where: { id: video }, include: { captions: true, captionDrafts: true } }),
      db().collection.findMany({ where: { accountId } }),
      db().webhookEndpoint.findUnique({ where: { id: endpoint } }),
      db().accountNote.findMany({ where: { accountId } }),
      db().auditEntry.findMany({ where: { accountId, action: { not: 'support.view' } }, orderBy: { id: 'asc' } }),
    ]),
    (_, value) => (typeof value === 'bigint' ? value.toString() : value),
  )

let staff: AccountCtx
beforeAll(async () => {
  staff = await makeAccount()
  await makeStaff(staff)
})

async function makeThings(): Promise<Things> {
  const owner = await makeAccount()
  const [key, video, endpoint, member] = await Promise.all([
    makeKey(owner),
    makeVideo(owner, { poster: first, posterCandidates: PICTURES }),
    makeEndpoint(owner, 'https://hooks.example.com/one'),
    makeMember(owner, 'VIEWER'),
  ])
  await db().webhookEndpoint.update({ where: { id: endpoint.id }, data: { events: ['wallet.refilled'] } })
  await db().caption.create({ data: { videoId: video, language: 'en', label: 'English', name: first, cues: 1, bytes: 1 } })
  const { id: collection } = await createCollection(owner, { name: 'Physics' })
  const note = newId('nte')
  await db().accountNote.create({
    data: { id: note, accountId: owner.accountId, authorId: userOf(staff), authorEmail: 'staff@example.com', body: 'Called' },
  })
  const draft = await saveDraft(owner, { videoId: video, language: 'en', text: VTT('Draft'), revision: 0, basedOn: first })
  return { owner, key: key.id, video, endpoint: endpoint.id, member: userOf(member), collection, note, draft: draft.revision }
}

const userOf = ({ actor }: AccountCtx) => (actor as { userId: string }).userId

/** Returns the outcome of a call: `done`, or the error's code with its details. */
async function call(owner: AccountCtx, name: string, input: unknown): Promise<unknown> {
  const session = name.startsWith('support.') ? staff : owner
  const caller = appRouter.createCaller({ visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true })
  const [group, verb] = name.split('.') as [string, string]
  const procedure = (caller as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>)[group]?.[verb]
  try {
    await procedure?.(input)
    return 'done'
  } catch (error) {
    if (!(error instanceof TRPCError) || !isServiceError(error.cause)) throw error
    return { code: error.cause.code, details: error.cause.extras.details }
  }
}

interface Procedure {
  _def: { type: string; inputs: { shape?: Record<string, unknown> }[] }
}
const procedures = appRouter._def.procedures as unknown as Record<string, Procedure>

it('every edit has its case', () => {
  const edits = Object.entries(procedures).filter(([, { _def }]) => _def.inputs.some(({ shape }) => shape && 'expected' in shape))
  expect(edits.map(([name]) => name).sort()).toEqual(Object.keys(EDITS).sort())
})

/** Mutations that create, end or order something, or only set a named state: they overwrite nothing typed. */
const NO_EDITS = new RegExp(
  [
    'account\\.(signUp|beginSignUp|finishSignUp|delete|firstStepsDone|dismissAnnouncement)',
    'billing\\.(topUp|requestQuota|simulate|answerDispute)',
    'captions\\.(saveDraft|discardDraft)',
    'collection\\.(create|remove|add|take)',
    'library\\.(start|undo|cancel|saveFilter|removeFilter)',
    'share\\.(create|revoke)',
    'key\\.(create|rotate|disable|enable|revoke|endPlayback)',
    'support\\.(find|setKeyDisabled|adjustBalance|resolveQuotaRequest|resolveApproval|setSuspended|setTakenDown|person|addNote|removeNote|(begin|end)OwnerView)',
    'operator\\.(announce|endAnnouncement|(grant|revoke)(Support|Operator))',
    'team\\.(invite|revokeInvitation|remove|leave|accept|getInvitation|join|switchAccount|requireSecondFactor)',
    'traffic\\.endPlayback',
    'upload\\.(import|importAgain|cancel)',
    'user\\..*',
    'video\\.(retry|reencode|remove|cancelReplacement|restore|removeCaptions|generateCaptions|endPlayback|download|posterAt)',
    'viewing\\.(end|erase)Person',
    'webhook\\.(create|rotate|enable|remove|test|replay|replaySince|retryNow)',
  ]
    .map((one) => `^${one}$`)
    .join('|'),
)

it('every other mutation overwrites nothing', () => {
  const others = Object.entries(procedures).filter(([name, { _def }]) => _def.type === 'mutation' && !EDITS[name])
  expect(others.map(([name]) => name).filter((name) => !NO_EDITS.test(name))).toEqual([])
})

describe.each(Object.entries(EDITS))('%s', (name, { input, shown, theirs, stale, reported }) => {
  it('is refused without the values that were seen', async () => {
    const things = await makeThings()
    const before = await state(things)
    expect(await call(things.owner, name, input(things))).toMatchObject({ code: 'INVALID_REQUEST' })
    expect(await state(things)).toBe(before)
  })

  it('changes nothing when other values were seen, and returns the present ones', async () => {
    const things = await makeThings()
    const before = await state(things)
    const refused = (await call(things.owner, name, { ...input(things), expected: stale })) as { code: string; details: object }
    if (refused.code !== undefined) {
      expect(refused.code).toBe('CONFLICT')
      expect(JSON.parse(JSON.stringify(refused.details))).toEqual(reported)
      expect(await state(things)).toBe(before)
    } else expect.fail(`${name} was done all the same`)
  })

  it('succeeds once for a caller who saw the present values', async () => {
    const things = await makeThings()
    const [one, other] = await Promise.all(
      [{}, theirs].map((change) => call(things.owner, name, { ...input(things), ...change, expected: shown })),
    )
    const done = [one, other].filter((came) => came === 'done')
    // Two requests for the same value do not conflict.
    const alike = JSON.stringify({ ...input(things), ...theirs }) === JSON.stringify(input(things))
    expect(done).toHaveLength(alike ? 2 : 1)
    if (!alike) expect([one, other].find((came) => came !== 'done')).toMatchObject({ code: 'CONFLICT' })
  })
})
