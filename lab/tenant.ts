import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import type { AccountCtx } from '../server/context.ts'
import { dayBefore } from '../server/modules/analytics/range.ts'
import { usage } from '../server/modules/analytics/usage.ts'
import { firstSteps } from '../server/modules/dashboard/first-steps.ts'
import { listForDashboard } from '../server/modules/dashboard/list-videos.ts'
import { overview } from '../server/modules/dashboard/overview.ts'
import { find } from '../server/modules/dashboard/search.ts'
import { pool } from '../server/platform/database/database.ts'
import { makeAccount, makeKey, makeVideo } from '../server/testing/make.ts'
import { type Child, startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { keyed, load, median } from './load.ts'
import type { Row } from './report.ts'
import { type Seeded, seedAccount } from './seed.ts'

const MANY = 100_000
const VERY_MANY = 1_000_000
const WATCHED_DAYS = 10
const ROUNDS = 5
/** Other callers' requests per second, far below the capacity of the process. */
const RATE = 200
const SECONDS = 10

/** One account with 100,000 and 1,000,000 videos: its own pages, and what its list costs other callers and the process. */
export const benchTenant = () => withDatabase(run)

async function run(env: Record<string, string>): Promise<Row[]> {
  const owner = new pg.Client({ connectionString: env.DATABASE_OWNER_URL })
  await owner.connect()
  const other = await seedAccount(10)
  const large = await grow(owner, MANY)
  await watch(owner, large.ctx)
  const rows = await pages(large.ctx)
  rows.push(...(await duringLists(env, large, other)))
  const small = await peakOfLists(env, large)
  const peak = await peakOfLists(env, await grow(owner, VERY_MANY))
  rows.push({
    work: `peak memory, lists of ${VERY_MANY.toLocaleString('en-US')} videos`,
    baseline: `lists of ${MANY.toLocaleString('en-US')} videos`,
    ...{ rate: peak / 2 ** 20, ceiling: small / 2 ** 20, ratio: peak / small, reach: 1.5, below: true, unit: 'MiB' },
  })
  await owner.end()
  return rows
}

/** Adds an account with `count` videos. Without the triggers, which would queue a notice for each row of the one transaction. */
async function grow(owner: pg.Client, count: number): Promise<Seeded> {
  const ctx = await makeAccount()
  const { id: keyId, value: key } = await makeKey(ctx)
  const videoId = await makeVideo(ctx, { description: 'As long as a description usually is, a sentence or two about the video.' })
  const columns = 'account_id, title, description, status, duration_sec, target_quality, qualities, completed_at'
  await owner.query('ALTER TABLE video DISABLE TRIGGER USER')
  await owner.query(
    `INSERT INTO video (id, ${columns}, created_at) SELECT id || '_' || n, ${columns}, created_at - n * interval '1 second'
     FROM video, generate_series(2, $2) n WHERE id = $1`,
    [videoId, count],
  )
  await owner.query('ALTER TABLE video ENABLE TRIGGER USER')
  await owner.query('INSERT INTO storage_count (account_id, videos) VALUES ($1, $2)', [ctx.accountId, count - 1])
  await owner.query('VACUUM ANALYZE video')
  return { ctx, keyId, key, videoId }
}

/** Adds plays of every video on each of the last days. */
async function watch(owner: pg.Client, { accountId }: AccountCtx): Promise<void> {
  for (let day = 0; day < WATCHED_DAYS; day++) {
    await owner.query(
      `INSERT INTO view_day (video_id, account_id, day, plays, watch_ms)
       SELECT id, account_id, (service_now() AT TIME ZONE 'UTC')::date - $2::int, 3, 60000 FROM video WHERE account_id = $1`,
      [accountId, day],
    )
  }
  await owner.query(
    `INSERT INTO account_viewer_day (account_id, day, dimension, value, plays, watch_ms)
     SELECT account_id, day, 'device', 'Phone', sum(plays), sum(watch_ms) FROM view_day GROUP BY account_id, day`,
  )
  await owner.query('VACUUM ANALYZE view_day, account_viewer_day')
}

/** Measures the reads of the dashboard's pages, in the median. */
async function pages(ctx: AccountCtx): Promise<Row[]> {
  const [from, to] = [dayBefore(89), dayBefore(0)]
  const reads: Record<string, () => Promise<unknown>> = {
    overview: () => overview(ctx),
    'first steps': () => firstSteps(ctx),
    'usage of 90 days': () => usage(ctx, { from, to, split: 'key' }),
    'usage of a day': () => usage(ctx, { from: to, to }),
    'video list': () => listForDashboard(ctx, {}),
    'video list by title': () => listForDashboard(ctx, { sort: 'title' }),
    'failed videos': () => listForDashboard(ctx, { filter: 'FAILED' }),
    'search in the list, common word': () => listForDashboard(ctx, { search: 'clip' }),
    'search in the list, absent word': () => listForDashboard(ctx, { search: 'zebra' }),
    'search, common word': () => find(ctx, { text: 'clip' }),
    'search, absent word': () => find(ctx, { text: 'zebra' }),
    'search, part of an id': () => find(ctx, { text: 'vid_zzz' }),
  }
  const rows: Row[] = []
  for (const [name, read] of Object.entries(reads)) {
    const took: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now()
      await read()
      took.push(performance.now() - began)
    }
    const bound = 100
    const ms = median(took)
    rows.push({
      work: `${name}, ${MANY.toLocaleString('en-US')} videos`,
      baseline: 'bound',
      ...{ rate: ms, ceiling: bound, ratio: ms / bound, reach: 1, below: true, unit: 'ms' },
    })
  }
  return rows
}

/** Measures other callers' latency without and with a caller who reads a long list again and again while it changes every second. */
async function duringLists(env: Record<string, string>, large: Seeded, other: Seeded): Promise<Row[]> {
  const child = await startChild('reelgate', { env })
  const target = keyed(child.url, `/v1/video/${other.videoId}`, other.key)
  const options = { rate: RATE, seconds: SECONDS, connections: 8 }
  await load(target, options)
  const alone = await load(target, options)
  const took: number[] = []
  const stop = listAgainAndAgain(child, large, took)
  const during = await load(target, options)
  await stop()
  await child.stop()
  process.stderr.write(`${took.length} lists of ${MANY} videos, ${Math.round(median(took))} ms each\n`)
  return [
    {
      work: `p99 of other callers during lists of ${MANY.toLocaleString('en-US')} videos`,
      baseline: 'without lists',
      ...{ rate: during.p99, ceiling: alone.p99, ratio: during.p99 / Math.max(alone.p99, 2), reach: 2, below: true, unit: 'ms' },
    },
  ]
}

/** Reads the list of an account in a loop, and changes one of its videos every second, until the returned function is called. */
function listAgainAndAgain(child: Child, { key, videoId }: Seeded, took: number[]): () => Promise<void> {
  const ending = new AbortController()
  const { signal } = ending
  const changes = (async () => {
    for (let round = 0; !signal.aborted; round++) {
      await pool().query('UPDATE video SET title = $2 WHERE id = $1', [videoId, `Round ${round}`])
      await wait(1_000, undefined, { signal }).catch(() => {})
    }
  })()
  const lists = (async () => {
    while (!signal.aborted) took.push(await readList(child, key))
  })()
  return async () => {
    ending.abort()
    await Promise.all([changes, lists])
  }
}

/** Returns the milliseconds in which the list was received, without holding it. */
async function readList(child: Child, key: string): Promise<number> {
  const began = performance.now()
  const { url, headers } = keyed(child.url, '/v1/video', key)
  const response = await fetch(url, { headers })
  let bytes = 0
  for await (const part of response.body as AsyncIterable<Uint8Array>) bytes += part.byteLength
  if (response.status !== 200 || bytes !== Number(response.headers.get('content-length'))) throw new Error('An incomplete list.')
  return performance.now() - began
}

/** Returns the peak of the memory of a new process that serves one account's list three times, changed each time. */
async function peakOfLists(env: Record<string, string>, seeded: Seeded): Promise<number> {
  const child = await startChild('reelgate', { env })
  for (let round = 0; round < 3; round++) {
    const ms = await readList(child, seeded.key)
    process.stderr.write(`list ${round + 1}: ${Math.round(ms)} ms\n`)
    await pool().query('UPDATE video SET title = $2 WHERE id = $1', [seeded.videoId, `Round ${round}`])
  }
  const { peak } = await child.ask<{ peak: number }>('peak')
  await child.stop()
  return peak
}
