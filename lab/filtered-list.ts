import { Agent, get } from 'node:http'
import pg from 'pg'
import { makeAccount, makeKey } from '../server/testing/make.ts'
import { startChild } from './child.ts'
import { keyed, type Target } from './load.ts'
import { isWanted } from './only.ts'
import type { Row } from './report.ts'

const FEW = 1_000
const MANY = 1_000_000

/** Creates an account with videos, in ten courses and a collection with half of them. The statements do what triggers do row by row. */
async function seedLibrary(superuserUrl: string, videos: number): Promise<{ key: string; collection: string }> {
  const ctx = await makeAccount()
  const { value: key } = await makeKey(ctx)
  const collection = `col_bench${videos}`
  // Triggers of a million rows would take minutes; only this user may leave them out.
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    await client.query('SET session_replication_role = replica')
    await client.query(
      `INSERT INTO video (id, account_id, title, status, target_quality, created_at, metadata, external_id)
       SELECT 'vid_bench' || $2 || '_' || n, $1, 'Lesson ' || n * 7919::bigint % $2, (CASE WHEN n % 20 = 0 THEN 'FAILED' ELSE 'COMPLETED' END)::"VideoStatus",
         '720p', timestamptz '2026-01-01' + n * interval '1 second', jsonb_build_object('course', 'course ' || n % 10), 'id-' || n
       FROM generate_series(1, $2::int) AS n`,
      [ctx.accountId, videos],
    )
    await client.query(
      `INSERT INTO video_metadata (video_id, account_id, pair, video_created_at)
       SELECT id, account_id, metadata_pair('course', metadata ->> 'course'), created_at FROM video WHERE account_id = $1`,
      [ctx.accountId],
    )
    await client.query('INSERT INTO collection (id, account_id, name) VALUES ($2, $1, $2)', [ctx.accountId, collection])
    await client.query(
      `INSERT INTO collection_video (collection_id, video_id, video_created_at)
       SELECT $2, id, created_at FROM video WHERE account_id = $1 AND external_id LIKE '%0'`,
      [ctx.accountId, collection],
    )
    await client.query('VACUUM ANALYZE video, video_metadata, collection_video')
  } finally {
    await client.end()
  }
  return { key, collection }
}

const FILTERS: Record<string, (collection: string) => string> = {
  'status, 1 of 20': () => 'status=FAILED',
  collection: (collection) => `collection=${collection}`,
  metadata: () => 'metadata[course]=course%203',
  'metadata in a collection': (collection) => `metadata[course]=course%200&collection=${collection}`,
  externalId: () => 'externalId=id-500',
  'part of a title': () => 'q=lesson%2099',
  createdAfter: () => 'createdAfter=2026-01-01T00:05:00Z&sort=oldest',
}

const workOf = (filter: string) => `list by ${filter}: p99`

/** Pairs of requests that are measured for each filter, and those before them that are not. */
const PAIRS = 3_000
const WARM_UP = 300
const CONNECTIONS = 2

/**
 * Compares the p99 of a page of a filtered list among a million videos with the p99 among a thousand. Each connection requests them in
 * turn, so that whatever else the machine does delays both alike.
 */
export async function filteredLists(env: Record<string, string>, superuserUrl: string): Promise<Row[]> {
  const wanted = Object.entries(FILTERS).filter(([name]) => isWanted(workOf(name)))
  if (wanted.length === 0) return []
  const accounts = [await seedLibrary(superuserUrl, FEW), await seedLibrary(superuserUrl, MANY)]
  const lane = await startChild('reelgate', { env })
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const rows: Row[] = []
  for (const [name, filter] of wanted) {
    const targets = accounts.map(({ key, collection }) => keyed(lane.url, `/v1/video?limit=50&${filter(collection)}`, key))
    await inTurn(targets, agent, WARM_UP)
    const [few, many] = (await inTurn(targets, agent, PAIRS)).map((times) => p99(times)) as [number, number]
    rows.push({
      ...{ work: workOf(name), baseline: '1,000 videos', rate: many, ceiling: few, ratio: many / few },
      ...{ reach: 2, below: true, unit: 'ms' },
    })
  }
  agent.destroy()
  await lane.stop()
  return rows
}

/** Requests each target `count` times, one target after the other on each connection. Returns the milliseconds of each target's requests. */
export async function inTurn(targets: Target[], agent: Agent, count: number): Promise<number[][]> {
  const times = targets.map((): number[] => [])
  let left = count
  const connection = async () => {
    while (left-- > 0) for (const [index, target] of targets.entries()) times[index]?.push(await timed(target, agent))
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return times
}

function timed({ url, headers }: Target, agent: Agent): Promise<number> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${url} returned ${response.statusCode}`))
      response.resume().on('end', () => resolve(performance.now() - began))
    }).on('error', reject)
  })
}

export const p99 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] as number
