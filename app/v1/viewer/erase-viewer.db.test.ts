import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { verifyReceipt } from '../../../sdk/bin/verify-receipt.mjs'
import type { AccountCtx } from '../../../server/context.ts'
import { JOBS } from '../../../server/jobs.ts'
import { LOG_DAYS } from '../../../server/modules/analytics/limits.ts'
import { trafficCollector } from '../../../server/modules/analytics/requests/collector.ts'
import { recordViewing } from '../../../server/modules/analytics/viewing/record-viewing.ts'
import { listReceipts } from '../../../server/modules/audit/receipts/list.ts'
import { publicKeys } from '../../../server/modules/audit/receipts/signing-keys.ts'
import { copyErasures, repeatLostErasures } from '../../../server/modules/backups/erasures.ts'
import { pruneViewerSessions } from '../../../server/modules/delivery/sessions/viewer-places.ts'
import { eraseViewer } from '../../../server/modules/delivery/viewers/viewers.ts'
import { viewerReference } from '../../../server/modules/identity/viewers/reference.ts'
import { services } from '../../../server/platform/container.ts'
import { db, query, transaction } from '../../../server/platform/database/database.ts'
import { startQueue, stopQueue } from '../../../server/platform/job-queue.ts'
import { send } from '../../../server/testing/client.ts'
import { stopClock } from '../../../server/testing/clock.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { dumpTables, tablesWith } from '../../../server/testing/dump.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { waitForLocks } from '../../../server/testing/lock-waits.ts'
import { makeAccount, makeKey, makeVideo, makeViewer } from '../../../server/testing/make.ts'
import { makeEndpoint } from '../../../server/testing/make-endpoint.ts'
import { renew } from '../../../server/testing/settings.ts'

await testDatabase()
const put = await stopClock(undefined)
const BEGIN = Date.now()
const base = await startHttpServer()
const { signal } = new AbortController()
let owner: AccountCtx
let key: string
let videoId: string
beforeAll(async () => {
  await startQueue(JOBS)
  owner = await makeAccount()
  key = (await makeKey(owner, { scopes: ['video:read', 'viewer:read', 'viewer:write'] })).value
  videoId = await makeVideo(owner, { durationSec: 100, qualities: ['360p'] })
  const rates = { bandwidth: 9, averageBandwidth: 9, codecs: 'avc1.64001f', frameRate: 30, bytes: 9n }
  const segments: [string, number][] = [['a'.repeat(32), 4]]
  await db().rendition.create({ data: { mediaId: videoId, quality: '360p', width: 640, height: 360, segments, ...rates } })
})
afterAll(stopQueue)
beforeEach(() => setClock(0))

/** Stops the database's clock, and forgets what this process confirmed by its own. */
async function setClock(seconds: number): Promise<void> {
  await put(new Date(BEGIN + seconds * 1_000))
  renew('viewerPlaces')
}
async function call(path: string, { method = 'GET', body }: { method?: string; body?: string } = {}) {
  const headers = { 'x-service-key': key, ...(body && { 'content-type': 'application/json' }) }
  const answer = await send(`${base}/v1${path}`, { method, headers, body })
  const { data, error } = JSON.parse(answer.body)
  return { status: answer.status, data, code: error?.code, body: answer.body }
}
async function tokenFor(viewer: string, policy: object = {}): Promise<string> {
  const body = JSON.stringify({ viewer: { id: viewer }, resume: true, ...policy })
  return (await call(`/video/${videoId}/playback-token`, { method: 'POST', body })).data.token
}
const exchange = (token: string) => call(`/video/playback/manifest/${token}`)
const permitOf = (url: string) => new URL(url).pathname.split('/').at(-2) as string
function report(permit: string, to = 20): Promise<void> {
  const counts = { watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, reached: [] }
  const visitor = { address: '192.0.2.1', remote: '192.0.2.1', userAgent: '' }
  return recordViewing(visitor, { videoId, permit, session: 'a'.repeat(32), ...counts, positionSec: to, spans: [[0, to]] })
}
const jtiOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).jti as string
/** Verifies a response as `reelgate verify-receipt` does. Returns what was signed. */
async function verified(response: string, encoding: BufferEncoding = 'utf8'): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-erasure-'))
  const [receipt, keys] = [join(folder, 'receipt.json'), join(folder, 'jwks.json')]
  writeFileSync(receipt, response, encoding)
  writeFileSync(keys, JSON.stringify({ keys: await publicKeys() }))
  try {
    return (await verifyReceipt(receipt, { jwks: keys })).receipt
  } finally {
    rmSync(folder, { recursive: true })
  }
}
const erase = (viewer: string) => call(`/viewer/${viewer}`, { method: 'DELETE' })
const rowsOf = async (viewer: string) => {
  const viewerId = await viewerReference(owner.accountId, viewer)
  return Promise.all([db().viewer.count({ where: { id: viewerId } }), db().viewerProgress.count({ where: { viewerId } })])
}

test('erasing a viewer leaves their reference in the audit log and the receipt, which verifies, and in the request to copy it', async () => {
  await makeEndpoint(owner, 'https://hooks.example.com/one')
  const { data } = await exchange(await tokenFor('MARKED-PERSON'))
  await setClock(30)
  await report(permitOf(data.masterPlaylistUrl), 60)
  expect(await rowsOf('MARKED-PERSON')).toEqual([1, 1])
  expect(await db().webhookEvent.count({ where: { type: 'viewing.progress' } })).toBe(2)
  // The request log says from which address a token was used.
  await trafficCollector().flush()
  const erased = await erase('MARKED-PERSON')
  expect(erased.body).not.toContain('MARKED-PERSON')
  const reference = await viewerReference(owner.accountId, 'MARKED-PERSON')
  expect(await verified(erased.body)).toEqual(erased.data.receipt)
  // As Windows PowerShell writes what a program prints.
  expect(await verified(`\ufeff${erased.body}`, 'utf16le')).toEqual(erased.data.receipt)
  expect(erased.data).toMatchObject({
    format: 'reelgate-receipt-1',
    receipt: {
      ...{ kind: 'viewer.erasure', sub: reference, account: owner.accountId, erasedAt: new Date(BEGIN + 30_000).toISOString() },
      rows: { viewer: 1, viewer_session: 1, viewer_progress: 1, request_log: 2 },
    },
  })
  expect(await call('/viewer/MARKED-PERSON')).toMatchObject({ status: 404, code: 'VIEWER_NOT_FOUND' })
  const dump = await dumpTables()
  expect([tablesWith(dump, 'MARKED-PERSON'), tablesWith(dump, reference)]).toEqual([[], ['audit_entry', 'deletion']])
  const { receipts } = await listReceipts(owner, {})
  expect(receipts).toMatchObject([{ id: erased.data.receipt.jti, kind: 'viewer.erasure', subject: reference, ready: true }])
})

test('an erasure finds the calls of sessions that were over days ago, which the request log still keeps', async () => {
  const token = await tokenFor('last-week')
  await exchange(token)
  await trafficCollector().flush()
  await setClock(3 * 86_400)
  await pruneViewerSessions(LOG_DAYS)
  expect((await erase('last-week')).data.receipt.rows).toMatchObject({ request_log: 2 })
  expect(await db().loggedRequest.count({ where: { tokenId: jtiOf(token) } })).toBe(0)
})

test('erasing again returns the same receipt, and a person who was never seen is not found', async () => {
  await makeViewer(owner, 'twice')
  const [first, second] = [await erase('twice'), await erase('twice')]
  expect([second.status, second.data]).toEqual([200, first.data])
  expect(await erase('nobody')).toMatchObject({ status: 404, code: 'VIEWER_NOT_FOUND' })
})

test('neither a session that was open nor an earlier token brings the viewer back; a later token starts from nothing', async () => {
  const [open, unused] = [await tokenFor('returns'), await tokenFor('returns')]
  const { masterPlaylistUrl } = (await exchange(open)).data
  await setClock(30)
  await report(permitOf(masterPlaylistUrl))
  await erase('returns')
  await report(permitOf(masterPlaylistUrl)).catch(() => {})
  expect((await send(masterPlaylistUrl)).status).toBe(401)
  // As a process does that has not been told of the end yet, or after a restore, which forgets the ends of tokens.
  await query('', 'DELETE FROM playback_end', [])
  const late = `SELECT admitted, ended FROM admit_viewer_session($1, $2, '', $3, $4, 0, NULL, 90000, NULL, true, 60)`
  const reference = await viewerReference(owner.accountId, 'returns')
  const admit = (token: string) => query('', late, [owner.accountId, reference, jtiOf(token), videoId])
  expect(await admit(open)).toEqual([{ admitted: false, ended: true }])
  for (const token of [open, unused]) expect((await exchange(token)).code).toBe('PLAYBACK_TOKEN_EXPIRED')
  expect(await rowsOf('returns')).toEqual([0, 0])

  await put(new Date(BEGIN + 30_001))
  const later = await tokenFor('returns')
  const again = await exchange(later)
  expect([again.status, again.data.resumeAt]).toEqual([200, undefined])
  await setClock(60)
  await report(permitOf(again.data.masterPlaylistUrl))
  expect(await rowsOf('returns')).toEqual([1, 1])
  // A process that had not been told of the erasure's number opened it with an earlier one.
  await setClock(180)
  expect(await admit(later)).toEqual([{ admitted: true, ended: false }])
  expect((await erase('returns')).data.receipt.erasedAt).toBe(new Date(BEGIN + 180_000).toISOString())
})

test('of tokens issued in the second of the erasure, those from before it are refused', async () => {
  await makeViewer(owner, 'second')
  const second = Math.ceil(BEGIN / 1_000) * 1_000
  await put(new Date(second + 100))
  const before = await tokenFor('second')
  const elsewhere = await tokenFor('second', { addresses: ['203.0.113.7'] })
  await put(new Date(second + 200))
  await erase('second')
  await put(new Date(second + 300))
  expect((await exchange(before)).code).toBe('PLAYBACK_TOKEN_EXPIRED')
  // The request log would name the viewer.
  expect((await exchange(elsewhere)).code).toBe('PLAYBACK_NOT_ALLOWED')
  expect(await rowsOf('second')).toEqual([0, 0])
  expect((await exchange(await tokenFor('second'))).status).toBe(200)
})

test('an exchange that this process has just confirmed is no exception', async () => {
  const token = await tokenFor('fresh')
  expect((await exchange(token)).status).toBe(200)
  await put(new Date(BEGIN + 5_000))
  await erase('fresh')
  expect((await exchange(token)).code).toBe('PLAYBACK_TOKEN_EXPIRED')
  expect(await rowsOf('fresh')).toEqual([0, 0])
})

test('a report and an exchange that wait for the erasure find nobody', async () => {
  const { masterPlaylistUrl } = (await exchange(await tokenFor('waits'))).data
  const other = await tokenFor('waits')
  await setClock(30)
  const reference = await viewerReference(owner.accountId, 'waits')
  let late: Promise<unknown>[] = []
  await transaction(async (connection) => {
    await connection.query('SELECT FROM viewer WHERE id = $1 FOR UPDATE', [reference])
    late = [eraseViewer(owner, { viewerId: 'waits' })]
    await waitForLocks(1)
    // Had it locked the session first, one of the two would fail as a deadlock. The exchange waits for the report, in its process.
    late.push(expect(report(permitOf(masterPlaylistUrl))).rejects.toMatchObject({ code: 'PLAYBACK_TOKEN_EXPIRED' }), exchange(other))
    await waitForLocks(2)
  })
  await Promise.all(late)
  expect(await rowsOf('waits')).toEqual([0, 0])
})

test('an entry of the request log that waits for the erasure does not name the viewer', async () => {
  const body = JSON.stringify({ viewer: { id: 'logged' }, addresses: ['203.0.113.7'] })
  const { data } = await call(`/video/${videoId}/playback-token`, { method: 'POST', body })
  expect((await exchange(data.token)).code).toBe('PLAYBACK_NOT_ALLOWED')
  let late: Promise<unknown>[] = []
  await transaction(async (connection) => {
    // The erasure has deleted everything, and has not committed.
    await connection.query('SELECT FROM installation FOR UPDATE')
    late = [eraseViewer(owner, { viewerId: 'logged' })]
    await waitForLocks(1)
    late.push(trafficCollector().flush())
    await waitForLocks(2)
  })
  await Promise.all(late)
  const viewerId = await viewerReference(owner.accountId, 'logged')
  expect(await db().loggedRequest.count({ where: { viewerId } })).toBe(0)
  expect(await db().loggedRequest.count({ where: { tokenId: jtiOf(data.token), code: 'PLAYBACK_NOT_ALLOWED' } })).toBe(1)
})

test('a database that was restored to an earlier time erases the viewer again, and spares who came back later', async () => {
  await makeViewer(owner, 'restored')
  await setClock(10)
  const { data } = await erase('restored')
  await copyErasures(signal)
  await setClock(20)
  await makeViewer(owner, 'restored')
  await query('', 'DELETE FROM deletion WHERE subject = $1', [data.receipt.sub])
  await repeatLostErasures(signal)
  expect(await rowsOf('restored')).toEqual([1, 0])
  expect((await listReceipts(owner, { subject: data.receipt.sub })).receipts).toMatchObject([{ id: data.receipt.jti }])

  await query('', 'DELETE FROM deletion WHERE subject = $1', [data.receipt.sub])
  await query('', 'UPDATE viewer SET first_seen_at = to_timestamp($1) WHERE id = $2', [BEGIN / 1_000, data.receipt.sub])
  const call = { method: 'GET', path: '/', query: '', durationMs: 1, responseHeaders: {}, at: new Date(), status: 403 }
  await db().loggedRequest.create({ data: { ...call, id: 'req_refused', accountId: owner.accountId, viewerId: data.receipt.sub } })
  await repeatLostErasures(signal)
  expect(await rowsOf('restored')).toEqual([0, 0])
  expect(await db().loggedRequest.count({ where: { id: 'req_refused' } })).toBe(0)
  // Opened after the restored time and before the erasure: the numbers of ends had gone further.
  const open = `SELECT ended FROM admit_viewer_session($1, $2, '', 'tok_open', $3, 1000, NULL, 90000, NULL, true, 60)`
  expect(await query('', open, [owner.accountId, data.receipt.sub, videoId])).toEqual([{ ended: true }])
})

test.each([
  ['ending', 'POST', '/end'],
  ['erasing', 'DELETE', ''],
])('%s a viewer with many sessions holds back the other ends of playback for no more than a slice of them', async (name, method, path) => {
  const viewerId = await makeViewer(owner, `many-${name}`)
  await query(
    '',
    `INSERT INTO viewer_session (token_id, account_id, viewer_id, video_id, expires_at)
     SELECT 'tok_' || $2 || n, $1, $2, $3, '2100-01-01' FROM generate_series(1, 1200) AS n`,
    [owner.accountId, viewerId, videoId],
  )
  expect(await call(`/viewer/many-${name}${path}`, { method })).toMatchObject({ status: 200, data: { ...(path && { ended: 1_200 }) } })
  const ends = await query<{ count: number }>(
    '',
    "SELECT count(*)::int AS count FROM playback_end WHERE subject LIKE 'token:tok_' || $1 || '%' GROUP BY number ORDER BY 1 DESC",
    [viewerId],
  )
  expect(ends.map(({ count }) => count)).toEqual([500, 500, 200])
})

test('the reports of a viewer wait for a lock on the viewer with one connection', async () => {
  const token = await tokenFor('reporter')
  const permit = permitOf((await exchange(token)).data.masterPlaylistUrl)
  const reference = await viewerReference(owner.accountId, 'reporter')
  let reports: Promise<unknown> | undefined
  await transaction(async (connection) => {
    await connection.query({ text: 'SELECT FROM viewer WHERE id = $1 FOR UPDATE', values: [reference] })
    reports = Promise.all([report(permit, 1), report(permit, 1), report(permit, 1)])
    await waitForLocks(1)
    await expect.poll(() => services().tokenTurns.load(`${owner.accountId} ${reference}`).waiting).toBe(2)
  })
  await reports
})
