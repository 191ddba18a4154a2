import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { getPerson } from '../../../server/modules/dashboard/people/people.ts'
import { leavePlace } from '../../../server/modules/delivery/sessions/viewer-places.ts'
import { recordProgress } from '../../../server/modules/delivery/viewers/progress.ts'
import { db } from '../../../server/platform/database/database.ts'
import { send } from '../../../server/testing/client.ts'
import { stopClock } from '../../../server/testing/clock.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo, makeViewer } from '../../../server/testing/make.ts'

await testDatabase()
const put = await stopClock(undefined)
let passed = 0
/** Lets a second pass. */
const later = () => put(new Date(Date.now() + 1_000 * ++passed))
const base = await startHttpServer()
const SCOPES = ['video:read', 'viewer:read', 'viewer:write'] as const
let owner: AccountCtx
let key: string
beforeAll(async () => {
  owner = await makeAccount()
  key = (await makeKey(owner, { scopes: [...SCOPES] })).value
})

async function call(path: string, { method = 'GET', as = key, body }: { method?: string; as?: string; body?: string } = {}) {
  const headers = { 'x-service-key': as, ...(body && { 'content-type': 'application/json' }) }
  const answer = await send(`${base}/v1${path}`, { method, headers, body })
  const { data, error, pagination } = JSON.parse(answer.body)
  return { status: answer.status, data, code: error?.code, pagination }
}
/** Opens a session of a viewer. Returns its token's id and the address of its playlist. */
async function open(videoId: string, viewer: string) {
  const { data } = await call(`/video/${videoId}/playback-token`, { method: 'POST', body: JSON.stringify({ viewer: { id: viewer } }) })
  const { jti } = JSON.parse(Buffer.from(data.token.split('.')[1], 'base64url').toString())
  const manifest = await call(`/video/playback/manifest/${data.token}`)
  return { tokenId: jti as string, url: manifest.data.masterPlaylistUrl as string }
}

test('a viewer has their sessions, and their videos page by page, the latest first', async () => {
  const videos = await Promise.all(Array.from({ length: 3 }, () => makeVideo(owner, { durationSec: 10, qualities: ['360p'] })))
  for (const videoId of videos) {
    const { tokenId } = await open(videoId, 'ann/ä')
    await later()
    await recordProgress(tokenId, 10, { spans: [[0, 1]], positionSec: 1 })
  }
  const path = `/viewer/${encodeURIComponent('ann/ä')}`
  const first = await call(`${path}?limit=2`)
  expect(first).toMatchObject({ status: 200, data: { id: 'ann/ä' }, pagination: { hasMore: true } })
  expect(first.data.sessions).toHaveLength(3)
  const second = await call(`${path}?limit=2&cursor=${first.pagination.nextCursor}`)
  const seen = [...first.data.videos, ...second.data.videos].map(({ videoId }: { videoId: string }) => videoId)
  expect([seen, second.pagination.hasMore]).toEqual([videos.toReversed(), false])
  expect(second.data.videos[0]).toMatchObject({ watchedSec: 1, durationSec: 10, positionSec: 1, completedAt: null })
  expect(await call(`${path}?cursor=nonsense`)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
})

test('a video has its viewers, and each their progress', async () => {
  const videoId = await makeVideo(owner, { durationSec: 10, qualities: ['360p'] })
  for (const [viewer, to] of [
    ['bea', 1],
    ['cem', 2],
  ] as const) {
    const { tokenId } = await open(videoId, viewer)
    await later()
    await recordProgress(tokenId, 10, { spans: [[0, to]], positionSec: to })
  }
  const first = await call(`/video/${videoId}/viewers?limit=1`)
  expect(first.data).toMatchObject([{ viewerId: 'cem', watchedSec: 2, positionSec: 2 }])
  const second = await call(`/video/${videoId}/viewers?limit=1&cursor=${first.pagination.nextCursor}`)
  expect([second.data[0].viewerId, second.pagination]).toEqual(['bea', { nextCursor: null, hasMore: false }])
  expect(Buffer.from(first.pagination.nextCursor, 'base64url').toString()).not.toMatch(/bea|cem/)
  expect((await call(`/viewer/bea/video/${videoId}`)).data).toMatchObject({ videoId, watchedSec: 1 })
  expect(await call(`/viewer/dan/video/${videoId}`)).toMatchObject({ status: 404, code: 'VIEWER_NOT_FOUND' })
})

test('an account has its viewers, the latest first', async () => {
  const account = await makeAccount()
  const as = (await makeKey(account, { scopes: ['viewer:read'] })).value
  const references: string[] = []
  for (const viewer of ['first', 'second', 'third']) {
    references.push(await makeViewer(account, viewer))
    await later()
  }
  const first = await call('/viewer?limit=2', { as })
  const second = await call(`/viewer?limit=2&cursor=${first.pagination.nextCursor}`, { as })
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(['third', 'second', 'first'])
  expect([first.pagination.hasMore, second.pagination]).toEqual([true, { nextCursor: null, hasMore: false }])
  expect(Buffer.from(first.pagination.nextCursor, 'base64url').toString()).toContain(references[1])
})

test('ending a viewer refuses their playlists at once, and frees their places', async () => {
  const videoId = await makeVideo(owner, { durationSec: 10, qualities: ['360p'] })
  const { url } = await open(videoId, 'eve')
  await open(videoId, 'eve')
  expect(await call('/viewer/eve/end', { method: 'POST' })).toMatchObject({ status: 200, data: { id: 'eve', ended: 2 } })
  expect((await send(url)).status).toBe(401)
  expect((await call('/viewer/eve')).data.sessions).toEqual([])
  expect(await call('/viewer/nobody/end', { method: 'POST' })).toMatchObject({ status: 404, code: 'VIEWER_NOT_FOUND' })
})

test('ending a viewer also ends a session whose player had stopped, and would go on', async () => {
  const videoId = await makeVideo(owner, { durationSec: 10, qualities: ['360p'] })
  const [stopped, playing] = [await open(videoId, 'gil'), await open(videoId, 'gil')]
  await leavePlace(stopped.tokenId)
  expect((await call('/viewer/gil/end', { method: 'POST' })).data.ended).toBe(1)
  for (const { url } of [stopped, playing]) expect((await send(url)).status).toBe(401)
})

test('another account, and a key without the scope, learn nothing', async () => {
  const videoId = await makeVideo(owner, { durationSec: 10, qualities: ['360p'] })
  await open(videoId, 'fay')
  const stranger = (await makeKey(await makeAccount(), { scopes: [...SCOPES] })).value
  for (const path of ['/viewer/fay', `/viewer/fay/video/${videoId}`])
    expect(await call(path, { as: stranger })).toMatchObject({ status: 404, code: 'VIEWER_NOT_FOUND' })
  expect(await call(`/video/${videoId}/viewers`, { as: stranger })).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' })
  expect(await call('/viewer/fay/end', { as: stranger, method: 'POST' })).toMatchObject({ code: 'VIEWER_NOT_FOUND' })
  const plain = (await makeKey(owner)).value
  expect(await call('/viewer/fay', { as: plain })).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' })
  const reader = (await makeKey(owner, { scopes: ['viewer:read'] })).value
  expect(await call('/viewer/fay/end', { as: reader, method: 'POST' })).toMatchObject({ status: 403, code: 'INSUFFICIENT_SCOPE' })
})

test('of the sessions of an ID that many people share, a viewer has the 100 oldest', async () => {
  const [videoId, viewerId] = [await makeVideo(owner), await makeViewer(owner, 'shared')]
  const session = { accountId: owner.accountId, viewerId, videoId, expiresAt: new Date('2100-01-01') }
  await db().viewerSession.createMany({ data: Array.from({ length: 101 }, (_, at) => ({ tokenId: `tok_shared_${at}`, ...session })) })
  expect((await call('/viewer/shared')).data.sessions).toHaveLength(100)
  expect((await getPerson(owner, { reference: viewerId })).sessions).toHaveLength(100)
})
