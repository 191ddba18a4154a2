import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../server/context.ts'
import { walkRoutes } from '../../server/http/router.ts'
import { JOBS } from '../../server/jobs.ts'
import { db } from '../../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../../server/platform/job-queue.ts'
import { newId } from '../../server/platform/secrets/crypto.ts'
import { type ClientResponse, send } from '../../server/testing/client.ts'
import { testDatabase } from '../../server/testing/database.ts'
import { startHttpServer } from '../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo, makeViewer } from '../../server/testing/make.ts'
import { emitMany } from '../../server/testing/make-endpoint.ts'
import { VTT } from '../../server/testing/video-calls.ts'

await testDatabase()
const baseUrl = await startHttpServer()

interface Belongings {
  ctx: AccountCtx
  keyId: string
  key: string
  video: string
  pending: string
  collection: string
}
let theirs: Belongings
let mine: Belongings

async function makeBelongings(): Promise<Belongings> {
  const ctx = await makeAccount()
  const { id, value } = await makeKey(ctx, {
    scopes: ['video:read', 'video:write', 'billing:read', 'webhook:read', 'viewer:read', 'viewer:write', 'analytics:read'],
  })
  const video = await makeVideo(ctx, { title: `Secret of ${ctx.accountId}`, createdAt: new Date(Date.now() - 60_000) })
  const pending = await makeVideo(ctx, { status: 'PENDING', createdAt: new Date(Date.now() - 3_600_000) })
  const collection = `col_of_${ctx.accountId}`
  const { createdAt } = await db().video.findUniqueOrThrow({ where: { id: video } })
  await db().collection.create({
    data: {
      id: collection,
      accountId: ctx.accountId,
      name: 'Shared name',
      videos: { create: { videoId: video, videoCreatedAt: createdAt } },
    },
  })
  return { ctx, keyId: id, key: value, video, pending, collection }
}

beforeAll(async () => {
  await startQueue(JOBS)
  theirs = await makeBelongings()
  mine = await makeBelongings()
})

afterAll(stopQueue)

const call = (who: Belongings | undefined, path: string, { method = 'GET', headers = {} } = {}) =>
  send(baseUrl + path, { method, headers: { ...(who ? { 'x-service-key': who.key } : {}), ...headers } })

const tellsNothing = ({ headers, body }: ClientResponse) => {
  for (const secret of [theirs.ctx.accountId, theirs.collection, theirs.video, theirs.pending, theirs.keyId])
    expect(JSON.stringify(headers) + body).not.toContain(secret)
}

/** Returns a complete response, without what differs between requests. */
function lasting({ status, headers, body }: ClientResponse) {
  const { date, 'x-request-id': requestId, ...rest } = headers
  // `t` counts down the seconds until midnight.
  const rateLimit = typeof rest.ratelimit === 'string' ? rest.ratelimit.replace(/;t=\d+$/, '') : undefined
  return { status, headers: { ...rest, ratelimit: rateLimit }, body: body.replaceAll(String(requestId), '') }
}

const ABSENT = 'vid_0000000000000000000000'

/** Requests two addresses whose responses must be identical for a caller who owns neither. */
async function sameNotFound(address: (videoId: string) => string, method: string, headers = {}) {
  for (const foreign of [theirs.video, theirs.pending]) {
    // Cold and warm: a cached response reveals no more. The owner's call in between may have warmed the cache for them alone.
    for (let round = 0; round < 2; round++) {
      const there = await call(mine, address(foreign), { method, headers })
      expect(lasting(there)).toEqual(lasting(await call(mine, address(ABSENT), { method, headers })))
      expect(there.status).toBe(404)
      tellsNothing(there)
      await call(theirs, address(foreign), { method })
    }
  }
}

/** Attempts a change of another account's videos, deleted and not; an absent one is answered alike. */
async function changesNothing(method: string, path: string, given = method === 'PUT' ? VTT : undefined) {
  const state = async () =>
    JSON.stringify(await db().video.findMany({ where: { accountId: theirs.ctx.accountId }, orderBy: { id: 'asc' } }), big)
  const deleted = await makeVideo(theirs.ctx, { deletedAt: new Date() })
  const before = await state()
  // The content of a file is not looked at before the video is found.
  for (const foreign of [theirs.video, theirs.pending, deleted]) {
    const [there, absent] = [await change(foreign, method, path, given), await change(ABSENT, method, path, given)]
    expect([lasting(there), there.status]).toEqual([lasting(absent), 404])
    tellsNothing(there)
  }
  expect(await state()).toBe(before)
}

const big = (_name: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
const change = (videoId: string, method: string, path: string, body: string | undefined) =>
  send(`${baseUrl}/v1/video/${videoId}${path}`, { method, headers: { 'x-service-key': mine.key }, body })

/** Requests a viewer of another account, and one that does not exist: the responses must be identical. */
async function sameViewerNotFound(method: string, path = '') {
  const viewerId = `their-viewer-${newId('x')}`
  await makeViewer(theirs.ctx, viewerId)
  const there = await call(mine, `/v1/viewer/${viewerId}${path}`, { method })
  expect(lasting(there)).toEqual(lasting(await call(mine, `/v1/viewer/nobody${path}`, { method })))
  expect(there.status).toBe(404)
  tellsNothing(there)
}

/** Requests the counts of another account's video, and those of an absent one: the responses must be identical. Without one, only own counts. */
async function sameAnalyticsNotFound(path: string) {
  await sameNotFound((videoId) => `/v1/analytics/${path}?videoId=${videoId}`, 'GET')
  for (const [at, { ctx, video }] of [theirs, mine].entries()) {
    const counted = { accountId: ctx.accountId, day: new Date('2026-11-20'), plays: 10 ** at }
    const ofVideo = { ...counted, videoId: video, startup: [], retention: [] }
    await db().viewDay.createMany({ data: ofVideo, skipDuplicates: true })
    await db().accountViewerDay.createMany({ data: { ...counted, dimension: 'device', value: 'Phone' }, skipDuplicates: true })
  }
  for (const groupBy of ['day', 'video']) {
    const answer = await call(mine, `/v1/analytics/${path}?from=2026-11-20&to=2026-11-20&groupBy=${groupBy}`)
    tellsNothing(answer)
    const { totals, groups } = JSON.parse(answer.body).data
    expect([totals.plays, ...groups.map(({ plays }: { plays: number }) => plays)].filter(Boolean)).toEqual([10, 10])
  }
  const { nextCursor } = JSON.parse((await call(theirs, `/v1/analytics/${path}?groupBy=video&limit=1`)).body).pagination
  const answer = await call(mine, `/v1/analytics/${path}?groupBy=video&cursor=${nextCursor}`)
  tellsNothing(answer)
  expect(JSON.parse(answer.body).data.groups.map(({ value }: { value: string }) => value)).toEqual([mine.pending])
}

/** Requests the upload of another account, and one that does not exist: the responses must be identical. */
async function sameUploadNotFound(method: string) {
  const { uploadId } = JSON.parse((await call(theirs, '/v1/upload', { method: 'POST' })).body).data
  const there = await call(mine, `/v1/upload/${uploadId}`, { method })
  expect(lasting(there)).toEqual(lasting(await call(mine, '/v1/upload/upl_0000000000000000000000', { method })))
  expect(there.status).toBe(404)
  tellsNothing(there)
  expect(JSON.parse((await call(theirs, `/v1/upload/${uploadId}`)).body).data.status).toBe('waiting')
}

/** Requests the collection of another account, and one that does not exist: the responses must be identical, and nothing changes. */
async function sameCollectionNotFound(method: string, path = '', body?: string) {
  const headers = { 'x-service-key': mine.key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  const request = (id: string) => send(`${baseUrl}/v1/collection/${id}${path}`, { method, headers, body })
  const there = await request(theirs.collection)
  expect(lasting(there)).toEqual(lasting(await request('col_0000000000000000000000')))
  expect(there.status).toBe(404)
  tellsNothing(there)
  expect(await db().collection.findUniqueOrThrow({ where: { id: theirs.collection }, include: { videos: true } })).toMatchObject({
    name: 'Shared name',
    videos: [{ videoId: theirs.video }],
  })
}

const list = async (who: Belongings, search = '') => JSON.parse((await call(who, `/v1/video${search}`)).body)

/** For each operation: what a key of another account attempts. One without a case fails the test below. */
const CASES: Record<string, () => Promise<void>> = {
  listVideos: async () => {
    tellsNothing(await call(mine, '/v1/video'))
    expect((await list(mine)).data.map(({ id }: { id: string }) => id)).toEqual([mine.video, mine.pending])
    // Another account's cursor selects this account's own videos, and another account's validator does not match.
    const { nextCursor } = (await list(theirs, '?limit=1')).pagination
    expect((await list(mine, `?cursor=${nextCursor}`)).data.map(({ id }: { id: string }) => id)).toEqual([mine.pending])
    const { etag } = (await call(theirs, '/v1/video')).headers
    expect((await call(mine, '/v1/video', { headers: { 'if-none-match': etag as string } })).status).toBe(200)
  },
  getVideo: async () => {
    await sameNotFound((videoId) => `/v1/video/${videoId}`, 'GET')
    await sameNotFound((videoId) => `/v1/video/${videoId}`, 'HEAD')
    const { etag } = (await call(theirs, `/v1/video/${theirs.video}`)).headers
    await sameNotFound((videoId) => `/v1/video/${videoId}`, 'GET', { 'if-none-match': etag as string })
  },
  getProcessing: async () => {
    await sameNotFound((videoId) => `/v1/video/${videoId}/processing`, 'GET')
    await sameNotFound((videoId) => `/v1/video/${videoId}/processing`, 'HEAD')
  },
  getPictures: async () => {
    await sameNotFound((videoId) => `/v1/video/${videoId}/pictures`, 'GET')
    await sameNotFound((videoId) => `/v1/video/${videoId}/pictures?time=1`, 'HEAD')
  },
  listCaptions: async () => {
    await sameNotFound((videoId) => `/v1/video/${videoId}/captions`, 'GET')
    await sameNotFound((videoId) => `/v1/video/${videoId}/captions`, 'HEAD')
  },
  getTranscript: async () => {
    await sameNotFound((videoId) => `/v1/video/${videoId}/transcript`, 'GET')
    await sameNotFound((videoId) => `/v1/video/${videoId}/transcript`, 'HEAD')
  },
  generateCaptions: () => changesNothing('POST', '/captions/auto/generate'),
  createDownload: () => changesNothing('POST', '/download'),
  updateVideo: () => changesNothing('PATCH', ''),
  deleteVideo: () => changesNothing('DELETE', ''),
  restoreVideo: () => changesNothing('POST', '/restore'),
  putCaptions: () => changesNothing('PUT', '/captions/en'),
  deleteCaptions: () => changesNothing('DELETE', '/captions/en'),
  putPoster: () => changesNothing('PUT', '/poster'),
  cancelReplacement: () => changesNothing('DELETE', '/source'),
  replaceSource: () => changesNothing('PUT', '/source', ''),
  listCollections: async () => {
    const answer = await call(mine, '/v1/collection')
    tellsNothing(answer)
    expect(JSON.parse(answer.body).data.map(({ id }: { id: string }) => id)).toEqual([mine.collection])
  },
  createCollection: async () => {
    // Names are unique in an account alone.
    const rows = await db().collection.findMany({ where: { name: 'Shared name' } })
    expect(rows.map(({ accountId }) => accountId).sort()).toEqual([mine, theirs].map(({ ctx }) => ctx.accountId).sort())
  },
  getViewer: () => sameViewerNotFound('GET'),
  getViewerVideo: () => sameViewerNotFound('GET', `/video/${theirs.video}`),
  endViewer: () => sameViewerNotFound('POST', '/end'),
  eraseViewer: () => sameViewerNotFound('DELETE'),
  listViewers: async () => {
    await makeViewer(theirs.ctx, 'their-listed-viewer')
    const answer = await call(mine, '/v1/viewer')
    expect([answer.status, answer.body]).toEqual([200, expect.not.stringContaining('their-')])
    tellsNothing(answer)
  },
  listVideoViewers: () => sameNotFound((videoId) => `/v1/video/${videoId}/viewers`, 'GET'),
  getPlays: () => sameAnalyticsNotFound('plays'),
  getQuality: () => sameAnalyticsNotFound('quality'),
  getCollection: () => sameCollectionNotFound('GET'),
  updateCollection: () => sameCollectionNotFound('PATCH', '', '{"name":"Mine"}'),
  deleteCollection: () => sameCollectionNotFound('DELETE'),
  addCollectionVideo: async () => {
    await sameCollectionNotFound('PUT', `/video/${mine.video}`)
    const [there, absent] = [theirs.video, ABSENT].map((videoId) =>
      call(mine, `/v1/collection/${mine.collection}/video/${videoId}`, { method: 'PUT' }),
    )
    expect(lasting(await (there as Promise<ClientResponse>))).toEqual(lasting(await (absent as Promise<ClientResponse>)))
    expect(await db().collectionVideo.count({ where: { collectionId: mine.collection, videoId: theirs.video } })).toBe(0)
  },
  removeCollectionVideo: () => sameCollectionNotFound('DELETE', `/video/${mine.video}`),
  createPlaybackToken: async () => {
    await sameNotFound((videoId) => `/v1/video/${videoId}/playback-token`, 'POST')
    await sameNotFound((videoId) => `/v1/video/${videoId}/playback-token`, 'POST', { 'idempotency-key': 'one' })
    // The same Idempotency-Key in two accounts is independent.
    const headers = { 'idempotency-key': 'shared' }
    const tokens = await Promise.all(
      [theirs, mine].map(
        async (who) => JSON.parse((await call(who, `/v1/video/${who.video}/playback-token`, { method: 'POST', headers })).body).data.token,
      ),
    )
    expect(new Set(tokens).size).toBe(2)
    // Each account pays for its own calls: theirs include the permitted calls of sameNotFound.
    const spent = await db().keyDay.findMany({ where: { keyId: mine.keyId } })
    expect(spent.map(({ issued }) => issued)).toEqual([1])
  },
  getPlaybackManifest: async () => {
    const issued = await call(theirs, `/v1/video/${theirs.video}/playback-token`, { method: 'POST' })
    const { token } = JSON.parse(issued.body).data
    // The token is the credential, whatever key is sent; it permits its own video alone.
    expect((await call(mine, `/v1/video/playback/manifest/${token}`)).status).toBe(200)
    expect((await call(mine, `/v1/video/playback/manifest/${token}?videoId=${mine.video}`)).status).toBe(401)
  },
  getBalance: async () => {
    await db().wallet.update({ where: { accountId: theirs.ctx.accountId }, data: { balance: 77n, posted: 77n } })
    for (const search of ['', `?accountId=${theirs.ctx.accountId}`]) {
      const answer = await call(mine, `/v1/billing/balance${search}`)
      tellsNothing(answer)
      expect(JSON.parse(answer.body).data).toMatchObject({ balance: '0', tier: 'FREE' })
    }
  },
  getUsage: async () => {
    const day = { day: new Date('2026-11-20'), issued: 5, requests: 9 }
    for (const { keyId } of [theirs, mine]) await db().keyDay.create({ data: { keyId, ...day } })
    for (const search of ['', `&keyId=${theirs.keyId}`, `&accountId=${theirs.ctx.accountId}`]) {
      const answer = await call(mine, `/v1/billing/usage?from=2026-11-20&to=2026-11-20${search}`)
      tellsNothing(answer)
      expect(JSON.parse(answer.body).data.days.map(({ keyId }: { keyId: string }) => keyId)).toEqual([mine.keyId])
    }
  },
  listEvents: async () => {
    const [foreign = ''] = await emitMany(theirs.ctx, 1)
    const [own] = await emitMany(mine.ctx, 1)
    const answer = await call(mine, '/v1/event?cursor=0.0&wait=20')
    tellsNothing(answer)
    expect(answer.body).not.toContain(foreign)
    expect(JSON.parse(answer.body).data.map(({ eventId }: { eventId: string }) => eventId)).toContain(own)
    expect((await call(mine, `/v1/event?cursor=0.0&accountId=${theirs.ctx.accountId}`)).status).toBe(400)
  },
  createSampleEvent: async () => {
    const before = await db().webhookEvent.count({ where: { accountId: theirs.ctx.accountId } })
    tellsNothing(await call(mine, `/v1/event/wallet.refilled/sample?accountId=${theirs.ctx.accountId}`, { method: 'POST' }))
    expect(await db().webhookEvent.count({ where: { accountId: theirs.ctx.accountId } })).toBe(before)
  },
  createUpload: async () => {
    // The same Idempotency-Key in two accounts is independent.
    const headers = { 'idempotency-key': 'upload' }
    const made = await Promise.all(
      [theirs, mine].map(async (who) => JSON.parse((await call(who, '/v1/upload', { method: 'POST', headers })).body).data.uploadId),
    )
    const rows = await db().directUpload.findMany({ where: { id: { in: made } }, select: { id: true, accountId: true } })
    expect(rows).toEqual(expect.arrayContaining([theirs, mine].map(({ ctx }, at) => ({ id: made[at], accountId: ctx.accountId }))))
  },
  importVideo: async () => {
    // The same Idempotency-Key in two accounts is independent.
    const body = JSON.stringify({ url: 'https://storage.example.com/clip.mp4' })
    const made = await Promise.all(
      [theirs, mine].map(async (who) => {
        const headers = { 'x-service-key': who.key, 'content-type': 'application/json', 'idempotency-key': 'import' }
        return JSON.parse((await send(`${baseUrl}/v1/video/import`, { method: 'POST', headers, body })).body).data.uploadId
      }),
    )
    const rows = await db().directUpload.findMany({ where: { id: { in: made } }, select: { id: true, accountId: true } })
    expect(rows).toEqual(expect.arrayContaining([theirs, mine].map(({ ctx }, at) => ({ id: made[at], accountId: ctx.accountId }))))
    const there = await call(mine, `/v1/upload/${made[0]}`)
    expect([there.status, lasting(there)]).toEqual([404, lasting(await call(mine, '/v1/upload/upl_0000000000000000000000'))])
  },
  listUploads: async () => {
    const [foreign, own] = await Promise.all(
      [theirs, mine].map(async (who) => JSON.parse((await call(who, '/v1/upload', { method: 'POST' })).body).data.uploadId),
    )
    const later = JSON.parse((await call(theirs, '/v1/upload?limit=1')).body).pagination.nextCursor
    expect((await call(mine, `/v1/upload?accountId=${theirs.ctx.accountId}`)).status).toBe(400)
    for (const search of ['', '?status=waiting', `?cursor=${later}`]) {
      const answer = await call(mine, `/v1/upload${search}`)
      tellsNothing(answer)
      expect(answer.body).not.toContain(foreign)
      if (!search.includes('cursor'))
        expect(JSON.parse(answer.body).data.map(({ uploadId }: { uploadId: string }) => uploadId)).toContain(own)
    }
  },
  getUpload: () => sameUploadNotFound('GET'),
  cancelUpload: () => sameUploadNotFound('DELETE'),
  getDescription: async () => {
    expect(lasting(await call(mine, '/v1/openapi.json'))).toEqual(lasting(await call(theirs, '/v1/openapi.json')))
  },
}

test('every operation has its case', async () => {
  const routes = await walkRoutes(join(import.meta.dirname, '..'))
  const operations = routes
    .flatMap(({ resource }) => Object.values(resource.methods))
    .flatMap((one) => ('contract' in one ? [one.contract.operationId] : []))
  expect(Object.keys(CASES).sort()).toEqual(operations.sort())
})

describe('a key of one account, and the resources of another', () => {
  test.each(Object.entries(CASES))('%s', (_operation, tries) => tries())
})
