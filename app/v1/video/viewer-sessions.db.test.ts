import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import type { ServiceError } from '../../../server/errors.ts'
import { LOG_DAYS } from '../../../server/modules/analytics/limits.ts'
import { recordViewing } from '../../../server/modules/analytics/viewing/record-viewing.ts'
import { pruneViewerSessions } from '../../../server/modules/delivery/sessions/viewer-places.ts'
import { viewerReference } from '../../../server/modules/identity/viewers/reference.ts'
import { db, query, type Runner, transaction } from '../../../server/platform/database/database.ts'
import { send } from '../../../server/testing/client.ts'
import { stopClock } from '../../../server/testing/clock.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { dumpTables, tablesWith } from '../../../server/testing/dump.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { waitForLocks } from '../../../server/testing/lock-waits.ts'
import { makeAccount, makeKey, makeVideo, makeViewer } from '../../../server/testing/make.ts'
import { renew } from '../../../server/testing/settings.ts'

await testDatabase()
const base = await startHttpServer()
let owner: AccountCtx
let videoId: string
let key: string
beforeAll(async () => {
  owner = await makeAccount()
  key = (await makeKey(owner)).value
  videoId = await makeVideo(owner, { qualities: ['360p'] })
  const rates = { bandwidth: 9, averageBandwidth: 9, codecs: 'avc1.64001f', frameRate: 30, bytes: 9n }
  const segments: [string, number][] = [['a'.repeat(32), 4]]
  await db().rendition.create({ data: { mediaId: videoId, quality: '360p', width: 640, height: 360, segments, ...rates } })
})

const BEGIN = Date.now()
const put = await stopClock(undefined)
/** Stops the database's clock `seconds` after the beginning, and forgets what this process confirmed by its own. */
async function setClock(seconds: number): Promise<void> {
  await put(new Date(BEGIN + seconds * 1_000))
  renew('viewerPlaces')
}

async function tokenFor(viewer: string, policy: object = {}): Promise<string> {
  const body = JSON.stringify({ viewer: { id: viewer }, maxSessions: 2, ...policy })
  const headers = { 'x-service-key': key, 'content-type': 'application/json' }
  const answer = await send(`${base}/v1/video/${videoId}/playback-token`, { method: 'POST', headers, body })
  return JSON.parse(answer.body).data.token
}
async function exchange(token: string) {
  const { status, body } = await send(`${base}/v1/video/playback/manifest/${token}`)
  const { data, error } = JSON.parse(body)
  return { status, url: data?.masterPlaylistUrl as string, reason: error?.details?.reason, code: error?.code }
}
const open = async (viewer: string, policy?: object) => exchange(await tokenFor(viewer, policy))
async function read(url: string) {
  const { status, body } = await send(url)
  return [status, status === 200 ? undefined : JSON.parse(body).error.details?.reason]
}
/** Sends a player's report. Returns the reason of its refusal. */
async function report(url: string, left?: boolean): Promise<string | undefined> {
  const permit = new URL(url).pathname.split('/').at(-2) as string
  const counts = { watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, reached: [], ...(left !== undefined && { left }) }
  const visitor = { address: '192.0.2.1', remote: '192.0.2.1', userAgent: '' }
  const sent = recordViewing(visitor, { videoId, permit, session: 'a'.repeat(32), ...counts })
  return sent.then(
    () => undefined,
    (error: ServiceError) => (error.extras.details as { reason: string }).reason,
  )
}

test('of many simultaneous exchanges of one viewer, exactly as many succeed as the policy allows', async () => {
  await setClock(0)
  const tokens = await Promise.all(Array.from({ length: 40 }, () => tokenFor('crowd')))
  const results = await Promise.all(tokens.map(exchange))
  expect(results.filter(({ status }) => status === 200)).toHaveLength(2)
  const refused = results.filter(({ status }) => status !== 200).map(({ status, code, reason }) => [status, code, reason])
  expect(refused).toEqual(Array.from({ length: 38 }, () => [403, 'PLAYBACK_NOT_ALLOWED', 'SESSIONS']))
  expect((await open('another')).status).toBe(200)
})

test('of processes that ask the database at once, one waits and finds the place taken', async () => {
  await setClock(0)
  const known = await makeViewer(owner, 'known')
  const ask = async (token: string, on?: Runner) => {
    const values = [owner.accountId, known, token, videoId]
    const text = `SELECT admitted FROM admit_viewer_session($1, $2, '', $3, $4, 0, NULL, 90000, 1, false, 60)`
    return (await query<{ admitted: boolean }>('', text, values, on))[0]?.admitted
  }
  let other: Promise<boolean | undefined> | undefined
  await transaction(async (connection) => {
    expect(await ask('tok_one', connection)).toBe(true)
    other = ask('tok_other')
    await waitForLocks(1)
  })
  expect(await other).toBe(false)
})

test('a place is free 60 seconds after the last playlist, key or report', async () => {
  await setClock(0)
  const [first, second] = [await open('idle'), await open('idle')]
  await setClock(50)
  expect(await read(first.url)).toEqual([200, undefined])
  expect(await open('idle')).toMatchObject({ reason: 'SESSIONS' })
  await setClock(61)
  const third = await open('idle')
  expect(third.status).toBe(200)
  // The second one's place is taken, also for its playlists; the first one has kept its own.
  expect(await read(second.url)).toEqual([403, 'SESSIONS'])
  expect(await read(first.url)).toEqual([200, undefined])
})

test('a place is free as soon as the player says that it ended, and is taken again when it goes on', async () => {
  await setClock(0)
  const [first] = [await open('leaves'), await open('leaves')]
  expect(await report(first.url, true)).toBeUndefined()
  // A closing page sends another one just before, which may arrive last.
  expect(await report(first.url)).toBeUndefined()
  expect((await open('leaves')).status).toBe(200)
  expect(await report(first.url, false)).toBe('SESSIONS')
})

test('end-oldest admits the newest session and ends the oldest, which cannot come back', async () => {
  const newest = { onLimit: 'end-oldest' }
  await setClock(0)
  const token = await tokenFor('moves', newest)
  const first = await exchange(token)
  await setClock(1)
  const second = await open('moves', newest)
  await setClock(2)
  expect((await open('moves', newest)).status).toBe(200)
  // As a process does that has not been told of the end yet.
  const { jti } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  const again = `SELECT admitted, ended FROM admit_viewer_session($1, $2, '', $3, $4, 0, NULL, 90000, 2, true, 60)`
  const moves = await viewerReference(owner.accountId, 'moves')
  expect(await query('', again, [owner.accountId, moves, jti, videoId])).toEqual([{ admitted: false, ended: true }])
  await expect.poll(() => read(first.url)).toEqual([401, 'PLAYBACK_ENDED'])
  expect(await read(second.url)).toEqual([200, undefined])
})

test('the same token, exchanged again, keeps its place', async () => {
  await setClock(0)
  const token = await tokenFor('reloads', { maxSessions: 1 })
  expect([(await exchange(token)).status, (await exchange(token)).status]).toEqual([200, 200])
})

test('neither a token, a URL nor a table shows who watches, and no row is written without a viewer', async () => {
  await setClock(0)
  const token = await tokenFor('MARKED-PERSON')
  const { url } = await exchange(token)
  const readable = [token.split('.')[1], new URL(url).pathname.split('/').at(-2)].map((text) =>
    Buffer.from(String(text), 'base64url').toString('latin1'),
  )
  expect([token, url, ...readable].join()).not.toContain('MARKED')
  const dump = await dumpTables()
  const reference = await viewerReference(owner.accountId, 'MARKED-PERSON')
  expect([tablesWith(dump, 'MARKED-PERSON'), tablesWith(dump, reference)]).toEqual([[], ['viewer', 'viewer_session']])
  const rows = await db().viewerSession.count()
  const plain = await send(`${base}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': key } })
  expect((await exchange(JSON.parse(plain.body).data.token)).status).toBe(200)
  expect(await db().viewerSession.count()).toBe(rows)
})

test('the row of a session goes once it can report no longer, and the request log has no call of it', async () => {
  await setClock(0)
  await open('gone')
  const hour = 3_600
  for (const [passed, rows] of [
    [25 + 6 * 24, 1],
    [25 + 7 * 24, 0],
  ] as const) {
    await setClock(passed * hour)
    await pruneViewerSessions(LOG_DAYS)
    expect(await db().viewerSession.count({ where: { viewerId: await viewerReference(owner.accountId, 'gone') } })).toBe(rows)
  }
})
