import { beforeAll, expect, it } from 'vitest'
import { POST } from '../../../../app/embed/[videoId]/beacon/route.ts'
import type { AccountCtx } from '../../../context.ts'
import { services } from '../../../platform/container.ts'
import { query } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { endPlayback } from '../../delivery/sessions/ends.ts'
import { mintSession } from '../../delivery/sessions/media-permit.ts'
import { sealPolicy } from '../../delivery/tokens/policy.ts'
import { Throttle } from '../../identity/sign-in/throttle.ts'
import { removeVideo } from '../../videos/remove.ts'
import { quantile } from '../quantile.ts'
import { bucketOf } from './record-viewing.ts'
import { viewingCounts } from './viewing-counts.ts'
import { viewingReport as readReport } from './viewing-report.ts'
import { STARTUP_BOUNDS, type ViewingInput, type ViewingReport } from './viewing-schema.ts'

await testDatabase()

let ctx: AccountCtx
beforeAll(async () => {
  ctx = await makeAccount()
})

const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600
const permitOf = (videoId: string, expiresAt = inAnHour()) =>
  mintSession(videoId, { expiresAt, renewableUntil: expiresAt, opening: { number: 0 } })
/** Writes what was collected, and returns the video's report. */
async function viewingReport(of: AccountCtx, input: ViewingInput) {
  await viewingCounts().flush()
  return readReport(of, input)
}
let sessions = 0

function report(videoId: string, said: Partial<ViewingReport> = {}): ViewingReport {
  const session = (++sessions).toString(16).padStart(32, '0')
  return { permit: permitOf(videoId), session, watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, reached: [], ...said }
}

async function send(videoId: string, body: unknown, { address = '10.0.0.1', length }: { address?: string; length?: string } = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { 'content-length': length ?? String(text.length), 'x-forwarded-for': address, 'content-type': 'text/plain' }
  const request = new Request('http://localhost/', { method: 'POST', body: text, headers })
  return POST(request, { params: Promise.resolve({ videoId }) })
}

it('accepts the longest report of the longest policy', async () => {
  const videoId = await makeVideo(ctx)
  const countries = Array.from({ length: 249 }, (_, at) => String.fromCharCode(65 + (at % 26), 65 + Math.floor(at / 26)))
  const policy = sealPolicy('tok_long', { viewer: { id: '\u{1f3ac}'.repeat(64) }, countries })
  const expiresAt = inAnHour()
  const permit = mintSession(videoId, { expiresAt, renewableUntil: expiresAt, opening: { number: 0, tokenId: 'tok_long', policy } })
  const spans = Array.from({ length: 100 }, (_, at): [number, number] => [1_000.25 + 10 * at, 1_005.75 + 10 * at])
  const body = JSON.stringify(report(videoId, { permit, spans, positionSec: 1_995.75 }))
  expect(body.length).toBeGreaterThan(2_048)
  // Refused for the country, not for its length.
  expect((await send(videoId, body)).status).toBe(403)
})

it('writes reports of a video whose stalls are more than the database counts', async () => {
  const videoId = await makeVideo(ctx)
  const stalled = { watchMs: 1, rebufferMs: 1_000, rebuffers: 1_000 }
  await send(videoId, report(videoId, stalled))
  await viewingCounts().flush()
  await query('', 'UPDATE view_day SET rebuffers = 2147483000 WHERE video_id = $1', [videoId])
  await send(videoId, report(videoId, stalled))
  await viewingCounts().flush()
  expect(await query('', 'SELECT rebuffers, rebuffer_ms::int FROM view_day WHERE video_id = $1', [videoId])).toEqual([
    { rebuffers: 2_147_483_647, rebuffer_ms: 2_000 },
  ])
})

it('sums the reports of players, once for each viewing', async () => {
  const videoId = await makeVideo(ctx)
  const first = report(videoId, { startupMs: 320, watchMs: 30_000, reached: [0, 1, 2] })
  expect((await send(videoId, first)).status).toBe(204)
  // The same viewing again: its start and its parts count once, and its watch time is limited to the elapsed time.
  await send(videoId, { ...first, watchMs: 3_600_000 })
  await send(videoId, report(videoId, { startupMs: 2_200, watchMs: 20_000, rebufferMs: 10_000, rebuffers: 1, reached: [0] }))
  await send(videoId, report(videoId, { errors: 1 }))

  const { totals, days, retention } = await viewingReport(ctx, { videoId, range: '7d' })
  expect(totals).toMatchObject({ plays: 2, errors: 1 })
  expect(totals.minutesWatched).toBeGreaterThanOrEqual(50 / 60)
  expect(totals.minutesWatched).toBeLessThan(100 / 60)
  expect(totals.startupP50).toBeLessThanOrEqual(400)
  expect(totals.startupP95).toBeGreaterThan(2_000)
  expect(totals.rebufferRatio).toBeGreaterThan(0)
  expect(retention.slice(0, 4)).toEqual([1, 0.5, 0.5, 0])
  expect(days).toHaveLength(7)
  expect(days.at(-1)).toMatchObject(totals)
  expect(days[0]).toMatchObject({ plays: 0, minutesWatched: 0, startupP50: null, rebufferRatio: null, errors: 0 })
  const rows = await query('test-view-days', 'SELECT 1 FROM view_day WHERE video_id = $1', [videoId])
  expect(rows).toHaveLength(1)
  await query('test-earlier-days', 'UPDATE view_day SET day = day - 7 WHERE video_id = $1', [videoId])
  const later = await readReport(ctx, { videoId, range: '7d' })
  expect([later.totals.plays, later.unfinished, later.previous.length]).toEqual([0, true, 7])
  expect(later.previous.at(-1)).toMatchObject({ plays: 2, errors: 1, startupP50: totals.startupP50 })
})

it('counts a report of an ended session and refuses it', async () => {
  const videoId = await makeVideo(ctx)
  const said = async () => {
    const answer = await send(videoId, report(videoId, { startupMs: 1 }))
    return [answer.status, answer.ok ? undefined : (await answer.json()).error.details]
  }
  expect(await said()).toEqual([204, undefined])
  await endPlayback(ctx, { videoId })
  await expect.poll(said).toEqual([401, { reason: 'PLAYBACK_ENDED' }])
  expect((await viewingReport(ctx, { videoId, range: '7d' })).totals.plays).toBeGreaterThanOrEqual(2)
})

it("refuses a report under another video's permit or an expired one", async () => {
  const videoId = await makeVideo(ctx)
  const other = await makeVideo(ctx)
  const forged = await send(videoId, report(videoId, { permit: permitOf(other), startupMs: 1 }))
  expect([forged.status, (await forged.json()).error.code]).toEqual([401, 'PLAYBACK_TOKEN_INVALID'])
  const late = await send(videoId, report(videoId, { permit: permitOf(videoId, 1), startupMs: 1 }))
  expect([late.status, (await late.json()).error.code]).toEqual([401, 'PLAYBACK_TOKEN_EXPIRED'])
  expect((await viewingReport(ctx, { videoId, range: '7d' })).totals.plays).toBe(0)
})

it.each([
  ['not json', 'watch'],
  ['nothing', {}],
  ['a negative time', { watchMs: -1 }],
  ['a time of the wrong type', { watchMs: 'long' }],
  ['an unknown part of the video', { reached: [20] }],
  ['a day of watch time in one report', { watchMs: 86_400_000 }],
  ['an unknown field', { plays: 1_000 }],
])('refuses %s', async (_what, said) => {
  const videoId = await makeVideo(ctx)
  const body = typeof said === 'string' || Object.keys(said).length === 0 ? said : { ...report(videoId), ...said }
  const answer = await send(videoId, body)
  expect([answer.status, (await answer.json()).error.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
})

it('refuses a long body', async () => {
  const videoId = await makeVideo(ctx)
  expect((await send(videoId, 'x'.repeat(9_000))).status).toBe(413)
})

it('limits the reports of one address', async () => {
  const videoId = await makeVideo(ctx)
  // With a running clock, a busy machine would be allowed new reports faster than it sends them.
  services().viewingThrottle = new Throttle(() => 0)
  const statuses = new Set<number>()
  for (let sent = 0; sent < 260; sent++) statuses.add((await send(videoId, report(videoId), { address: '10.9.9.9' })).status)
  expect(statuses).toEqual(new Set([204, 429]))
  expect((await send(videoId, report(videoId), { address: '10.9.9.8' })).status).toBe(204)
})

it('returns VIDEO_NOT_FOUND for another account’s video and counts nothing for a deleted one', async () => {
  const videoId = await makeVideo(ctx)
  await expect(viewingReport(await makeAccount(), { videoId, range: '30d' })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  await removeVideo(ctx, { videoId })
  expect((await send(videoId, report(videoId, { startupMs: 5 }))).status).toBe(204)
  expect((await viewingReport(ctx, { videoId, range: '90d' })).totals.plays).toBe(0)
})

it('counts every report of many concurrent ones', async () => {
  const videoId = await makeVideo(ctx)
  await Promise.all(
    Array.from({ length: 100 }, (_, at) => send(videoId, report(videoId, { startupMs: 90, reached: [0] }), { address: `10.1.0.${at}` })),
  )
  expect((await viewingReport(ctx, { videoId, range: '7d' })).totals).toMatchObject({ plays: 100, startupP50: 50 })
})

it('computes quantiles from buckets', () => {
  const buckets = new Array<number>(STARTUP_BOUNDS.length + 1).fill(0)
  expect(quantile(buckets, 0.5)).toBeNull()
  buckets[bucketOf(450)] = 10
  expect(quantile(buckets, 0.5)).toBe(450)
  buckets[bucketOf(90_000)] = 10
  expect(quantile(buckets, 0.95)).toBe(60_000)
})
