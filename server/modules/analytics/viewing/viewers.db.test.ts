import { beforeAll, expect, it, vi } from 'vitest'
import { POST } from '../../../../app/embed/[videoId]/beacon/route.ts'
import type { AccountCtx } from '../../../context.ts'
import { services } from '../../../platform/container.ts'
import { db, query } from '../../../platform/database/database.ts'
import { log } from '../../../platform/observe/log.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makePlayable } from '../../../testing/make.ts'
import { mintSession } from '../../delivery/sessions/media-permit.ts'
import { liveVideos } from '../../delivery/sessions/viewers.ts'
import { newTokenId } from '../../delivery/tokens/token.ts'
import { pruneTraffic } from '../prune.ts'
import { MOST_REFERRERS } from './flush-viewings.ts'
import { makeViewings } from './record-viewing.ts'
import type { ViewerDimension } from './viewer-limits.ts'
import { viewersReport } from './viewers-report.ts'
import { ViewingCounts, viewingCounts } from './viewing-counts.ts'
import type { ViewingReport } from './viewing-schema.ts'

await testDatabase()
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
const BERLIN = '2.160.0.1'
const LONDON = '81.2.69.142'

let ctx: AccountCtx
let keyId: string
let videoId: string
beforeAll(async () => {
  ctx = await makeAccount()
  ;({ id: keyId } = await makeKey(ctx))
  videoId = await makePlayable(ctx)
})

let sessions = 0
interface Sent {
  of?: string
  key?: string
  address?: string
  agent?: string
  said?: Partial<ViewingReport>
}
const newSession = () => (++sessions).toString(16).padStart(32, '0')

/** Sends a report, as the embed player does. */
async function send({ of = videoId, key = keyId, address = BERLIN, agent = FIREFOX, said = {} }: Sent = {}): Promise<number> {
  const inAnHour = Math.floor(Date.now() / 1_000) + 3_600
  const opening = { number: 0, tokenId: newTokenId(key) }
  const permit = mintSession(of, { expiresAt: inAnHour, renewableUntil: inAnHour, opening })
  const body = JSON.stringify({
    ...{ permit, session: newSession(), watchMs: 0, rebufferMs: 0, rebuffers: 0, errors: 0, reached: [], page: 'school.example.com' },
    ...said,
  })
  const headers = { 'content-length': String(body.length), 'x-forwarded-for': address, 'user-agent': agent }
  const request = new Request('http://localhost/', { method: 'POST', body, headers })
  return (await POST(request, { params: Promise.resolve({ videoId: of }) })).status
}

const today = () => new Date().toISOString().slice(0, 10)
async function report(of?: string, who = ctx) {
  await viewingCounts().flush()
  return viewersReport(who, { from: today(), to: today(), ...(of ? { videoId: of } : {}) })
}
const playsOf = (values: readonly { value: string; plays: number }[]) =>
  Object.fromEntries(values.map(({ value, plays }) => [value, plays]))

it('counts a viewing once for each dimension, with its watch time, for the video and the account', async () => {
  const viewing = {
    startupMs: 200,
    session: newSession(),
    watchMs: 30_000,
    watched: [
      [360, 20_000],
      [240, 10_000],
    ],
  } as const
  await send({
    said: { ...viewing, watched: [...viewing.watched.map(([height, ms]): [number, number] => [height, ms])], reached: [0, 5, 10] },
  })
  // The same viewing again: its start does not count twice, and its watch time does.
  await send({ said: { ...viewing, watched: [], watchMs: 6_000, reached: [15, 19] } })
  await send({
    agent: IPHONE,
    address: LONDON,
    said: { startupMs: 300, watchMs: 60_000, height: 360, page: 'www.blog.example.com', reached: [0, 5] },
  })
  await send({ address: '10.0.0.1', agent: 'x/1 y', said: { startupMs: 5, page: '(direct)' } })
  for (const of of [videoId, undefined]) {
    const { totals, days, by, reached } = await report(of)
    expect(totals).toEqual({ plays: 3, minutes: 1.6 })
    expect(days).toEqual([{ day: today(), plays: 3, minutes: 1.6 }])
    expect(by.country).toMatchObject([
      { value: '(unknown)', plays: 1, minutes: 0 },
      { value: 'DE', plays: 1, minutes: 0.6 },
      { value: 'GB', plays: 1, minutes: 1 },
    ])
    expect(playsOf(by.referrer)).toEqual({ 'school.example.com': 1, 'blog.example.com': 1, '(direct)': 1 })
    expect(playsOf(by.device)).toEqual({ Computer: 1, Phone: 1, Other: 1 })
    expect(playsOf(by.browser)).toEqual({ Firefox: 1, Safari: 1, Other: 1 })
    expect(playsOf(by.os)).toEqual({ Windows: 1, iOS: 1, Other: 1 })
    // The picture of 240 lines is no rendition of the video.
    expect(by.quality.map(({ value, minutes }) => [value, Math.round(minutes * 60)])).toEqual([
      ['360p', 80],
      ['(unknown)', 16],
    ])
    expect(reached).toEqual([
      { share: 25, viewings: 2 },
      { share: 50, viewings: 1 },
      { share: 75, viewings: 1 },
      { share: 100, viewings: 1 },
    ])
  }
  expect((await report()).videos).toMatchObject([{ videoId, title: 'Clip', plays: 3, isDeleted: false, before: { plays: 0 } }])
})

it('stores neither address nor user agent', async () => {
  const tables = ['view_day', 'viewer_day', 'account_viewer_day', 'account_viewer_pair_day', 'viewing_start', 'live_session']
  for (const table of tables) {
    const rows = JSON.stringify(await query('', `SELECT * FROM ${table}`, []))
    for (const secret of [BERLIN, LONDON, 'Mozilla', 'Gecko']) expect(rows, table).not.toContain(secret)
  }
})

it('counts a viewing once whose start reaches several processes, and a batch once that is written twice', async () => {
  const of = await makePlayable(ctx)
  const session = newSession()
  await send({ of, said: { startupMs: 1, session, watchMs: 1_000 } })
  const here = services().viewingCounts
  // Another process knows nothing of the viewing.
  services().viewings = makeViewings()
  services().viewingCounts = new ViewingCounts()
  await send({ of, said: { startupMs: 1, session } })
  await Promise.all([here.flush(), viewingCounts().flush()])
  expect((await report(of)).totals).toEqual({ plays: 1, minutes: 1 / 60 })

  await send({ of, said: { startupMs: 1, watchMs: 1_000 } })
  const counts = viewingCounts() as unknown as { groups: Map<string, unknown>; unwritten: unknown[] }
  const groups = [...counts.groups.values()]
  const { flushViewings } = await import('./flush-viewings.ts')
  const batch = { id: 'batch-of-a-test', groups, endedAt: performance.now() } as Parameters<typeof flushViewings>[0]
  counts.groups = new Map()
  // The first write was committed, but its answer was lost.
  await Promise.all([flushViewings(batch), flushViewings(batch)])
  await flushViewings(batch)
  expect((await report(of)).totals).toEqual({ plays: 2, minutes: 2 / 60 })
})

it('keeps what could not be written for the next flush', async () => {
  const of = await makePlayable(ctx)
  const warned = vi.spyOn(log(), 'warn').mockReturnValue()
  await query('', 'ALTER TABLE viewer_day RENAME TO moved', [])
  await send({ of, said: { startupMs: 1 } })
  await viewingCounts().flush()
  await query('', 'ALTER TABLE moved RENAME TO viewer_day', [])
  expect(warned).toHaveBeenCalledOnce()
  warned.mockRestore()
  await send({ of, said: { startupMs: 1 } })
  const { totals, by } = await report(of)
  expect([totals.plays, playsOf(by.country)]).toEqual([2, { DE: 2 }])
})

it('counts all plays of many processes that write the same rows in any order', async () => {
  const videos = await Promise.all(Array.from({ length: 6 }, () => makePlayable(ctx)))
  const before = (await report()).totals.plays
  const processes = Array.from({ length: 4 }, () => new ViewingCounts())
  for (const [at, one] of processes.entries()) {
    services().viewingCounts = one
    for (const of of at % 2 ? videos : videos.toReversed()) await send({ of, address: `2.160.${at}.1`, said: { startupMs: 1 } })
  }
  await Promise.all(processes.map((one) => one.flush()))
  // A deadlock leaves its batch to the next flush.
  for (const one of processes) await one.flush()
  for (const of of videos) expect(playsOf((await report(of)).by.device)).toEqual({ Computer: 4 })
  expect((await report()).totals.plays - before).toBe(24)
})

it('does not count sessions of test keys', async () => {
  const of = await makePlayable(ctx)
  const { id: test } = await makeKey(ctx, { environment: 'TEST' })
  await send({ of, key: test, said: { startupMs: 1, watchMs: 1_000, errors: 1, reached: [0] } })
  await send({ of, said: { startupMs: 1 } })
  const { totals, by } = await report(of)
  expect([totals, playsOf(by.device)]).toEqual([{ plays: 1, minutes: 0 }, { Computer: 1 }])
})

it('counts further referrers of a day as others, and those with a row under their own name', async () => {
  const mine = await makeAccount()
  const of = await makePlayable(mine)
  const many = MOST_REFERRERS.video + 20
  const from = (at: number) => send({ of, address: `2.160.7.${at % 250}`, said: { startupMs: 1, page: `p${at}.example.com` } })
  for (let at = 0; at < 60; at++) await from(at)
  await viewingCounts().flush()
  for (let at = 0; at < many; at++) await from(at)
  const rows = await db().viewerDay.count({ where: { videoId: of, dimension: 'referrer' } })
  expect(rows).toBe(60)
  const { by, totals } = await report(of, mine)
  expect(await db().viewerDay.count({ where: { videoId: of, dimension: 'referrer' } })).toBe(MOST_REFERRERS.video + 1)
  expect(totals.plays).toBe(60 + many)
  expect(by.referrer.reduce((sum, { plays }) => sum + plays, 0)).toBe(60 + many)
  expect(playsOf(by.referrer)).toMatchObject({ 'p0.example.com': 2, '(other)': 21 })
  expect(by.referrer.at(-1)?.value).toBe('(other)')
})

it('refuses a page that is no host', async () => {
  for (const page of ['https://school.example.com/a?b=c', '<script>', '', 'a b', 'x'.repeat(300), '(other)'])
    expect(await send({ said: { page } }), page).toBe(400)
})

it('compares with the period before, and keeps the accounts apart', async () => {
  const [mine, other] = [await makeAccount(), await makeAccount()]
  const of = await makePlayable(mine)
  await send({ of, said: { startupMs: 1, watchMs: 60_000 } })
  await viewingCounts().flush()
  const back = (table: string, days: number) => query('', `UPDATE ${table} SET day = day - ${days} WHERE account_id = $1`, [mine.accountId])
  for (const table of ['view_day', 'viewer_day', 'account_viewer_day']) await back(table, 2)
  await send({ of, address: LONDON, said: { startupMs: 1 } })
  await viewingCounts().flush()
  const from = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  for (const input of [
    { from, to: today() },
    { from, to: today(), videoId: of },
  ]) {
    const { totals, previous, by, unfinished } = await viewersReport(mine, input)
    expect([totals, previous.totals, unfinished]).toEqual([{ plays: 1, minutes: 0 }, { plays: 1, minutes: 1 }, true])
    expect(previous.days).toHaveLength(2)
    expect(by.country).toEqual([{ value: 'GB', plays: 1, minutes: 0, before: { plays: 0, minutes: 0 } }])
  }
  const none = await viewersReport(other, { from, to: today() })
  expect([none.totals, none.videos, none.by.country]).toEqual([{ plays: 0, minutes: 0 }, [], []])
  await expect(viewersReport(other, { from, to: today(), videoId: of })).rejects.toMatchObject({ code: 'VIDEO_NOT_FOUND' })
  expect(await liveVideos(other)).toEqual({ viewers: 0, videos: [] })
  // Like counts of tokens and requests, those of an account do not fall when a video is purged.
  await query('', 'DELETE FROM video WHERE id = $1', [of])
  expect((await viewersReport(mine, { from, to: today() })).totals).toEqual({ plays: 1, minutes: 0 })
})

it('says how well the videos of an account played, and what viewers with one value watched', async () => {
  const mine = await makeAccount()
  const [one, two] = [await makePlayable(mine), await makePlayable(mine)]
  const stalled = { watchMs: 30_000, rebufferMs: 10_000, rebuffers: 1 }
  await send({ of: one, said: { ...stalled, startupMs: 200, reached: [0, 5], errors: 1, errorKind: 'offline' } })
  await send({ of: two, address: LONDON, said: { startupMs: 2_000, errors: 2 } })
  const all = await report(undefined, mine)
  const errors = [
    { kind: '(unknown)', count: 2 },
    { kind: 'offline', count: 1 },
  ]
  expect(all.quality).toEqual({ startupP50: 200, startupP95: 1_950, rebufferRatio: 0.25, errorCount: 3, errors })
  const only = { dimension: 'country', value: 'DE' } as const
  const some = await viewersReport(mine, { from: today(), to: today(), only })
  expect(some).toMatchObject({ totals: { plays: 1, minutes: 0.5 }, days: [{ plays: 1, minutes: 0.5 }] })
  const ofDe = { startupP50: 175, startupP95: 198, rebufferRatio: 0.25, errorCount: 1, errors: [{ kind: 'offline', count: 1 }] }
  expect(some.quality).toEqual(ofDe)
  const inGb = await viewersReport(mine, { from: today(), to: today(), only: { dimension: 'country', value: 'GB' } })
  const ofGb = { startupP50: 1_750, startupP95: 1_975, rebufferRatio: null, errorCount: 2, errors: [{ kind: '(unknown)', count: 2 }] }
  expect(inGb.quality).toEqual(ofGb)
  expect(some.videos.map(({ videoId: id, plays }) => [id, plays])).toEqual([[one, 1]])
  expect([playsOf(some.by.country), playsOf(some.by.device)]).toEqual([{ DE: 1, GB: 1 }, { Computer: 1 }])
  expect([some, inGb].map(({ reached }) => reached.map(({ viewings }) => viewings))).toEqual([
    [1, 0, 0, 0],
    [0, 0, 0, 0],
  ])
  // A later batch adds to the same rows.
  await send({ of: two, said: { startupMs: 2_000, reached: [0, 5, 10] } })
  await viewingCounts().flush()
  const later = await viewersReport(mine, { from: today(), to: today(), only })
  expect(later.quality).toMatchObject({ startupP50: 200, startupP95: 1_950, errorCount: 1 })
  expect(later.reached.map(({ viewings }) => viewings)).toEqual([2, 1, 0, 0])
  const ofTwo = await viewersReport(mine, { from: today(), to: today(), videoId: two, only })
  expect([ofTwo.totals, ofTwo.by.device]).toEqual([{ plays: 1, minutes: 0 }, []])
  expect(await send({ said: { errors: 1, errorKind: 'other' as never } })).toBe(400)
})

it('filters each breakdown by a value of any other, and combines days without pairs as others', async () => {
  const mine = await makeAccount()
  const of = await makePlayable(mine)
  const play = (address: string, agent: string, said: Partial<ViewingReport>) =>
    send({ of, address, agent, said: { startupMs: 1, watchMs: 30_000, ...said } })
  await play(BERLIN, FIREFOX, { height: 360, page: 'a.example.com' })
  await play(BERLIN, IPHONE, { height: 360, page: 'b.example.com', errors: 3, errorKind: 'expired' })
  await play(LONDON, IPHONE, { height: 720, page: 'b.example.com' })
  await viewingCounts().flush()
  const only = async (dimension: ViewerDimension, value: string) =>
    (await viewersReport(mine, { from: today(), to: today(), only: { dimension, value } })).by
  const de = await only('country', 'DE')
  expect([de.device, de.browser, de.os, de.referrer].map(playsOf)).toEqual([
    { Computer: 1, Phone: 1 },
    { Firefox: 1, Safari: 1 },
    { Windows: 1, iOS: 1 },
    { 'a.example.com': 1, 'b.example.com': 1 },
  ])
  expect(de.quality).toMatchObject([{ value: '360p', plays: 0, minutes: 1 }])
  // The other side of the same pairs.
  expect([(await only('device', 'Phone')).country, (await only('referrer', 'a.example.com')).country].map(playsOf)).toEqual([
    { DE: 1, GB: 1 },
    { DE: 1 },
  ])
  expect((await only('quality', '360p')).country).toMatchObject([{ value: 'DE', plays: 0, minutes: 1 }])

  await query('', `DELETE FROM account_viewer_pair_day WHERE account_id = $1 AND with_value IN ('Phone', '360p')`, [mine.accountId])
  const later = await viewersReport(mine, { from: today(), to: today(), only: { dimension: 'country', value: 'DE' } })
  expect(playsOf(later.by.device)).toEqual({ Computer: 1, '(other)': 1 })
  expect(later.by.quality).toMatchObject([{ value: '(other)', plays: 0, minutes: 1 }])
})

it('forgets after a day which viewings it counted', async () => {
  const put = await stopClock(new Date())
  await send({ said: { startupMs: 1 } })
  await viewingCounts().flush()
  expect(await db().viewingStart.count()).toBeGreaterThan(0)
  await put(new Date(Date.now() + 86_400_000 + 3_600_000))
  await pruneTraffic()
  expect(await db().viewingStart.count()).toBe(0)
})
