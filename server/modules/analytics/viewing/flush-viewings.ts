import { query, type Runner, transaction } from '../../../platform/database/database.ts'
import { keyReference } from '../../delivery/tokens/token.ts'
import { PLAYABLE, SERVED } from '../../videos/owned-video.ts'
import { type Cells, type CountedVideo, sumViewings } from './sum-viewings.ts'
import { DIRECT, UNKNOWN } from './viewer-limits.ts'
import type { ViewingBatch } from './viewing-batch.ts'

/** Maximum number of referrers that get their own row per day for a video and for an account. The rest count as `OTHER`. */
export const MOST_REFERRERS = { video: 100, account: 500 }

/**
 * Writes a batch in one transaction, exactly once however often it is repeated. A viewing's row in `viewing_start` makes it count as one
 * play, whichever processes its reports reach. Skips videos that viewers cannot watch, and sessions of test keys. Locks rows in one order.
 */
export async function flushViewings(batch: ViewingBatch): Promise<void> {
  const { id, groups, endedAt } = batch
  await transaction(async (on) => {
    const starts = groups.flatMap((group) => group.starts.map((start) => start.id))
    const fresh = new Set((await query<{ id: string }>('viewing-starts', START, [[id, ...starts]], on)).map((row) => row.id))
    if (!fresh.delete(id)) return
    const [now] = await query<{ day: string }>('viewing-day', DAY, [performance.now() - endedAt], on)
    const day = now?.day as string
    const videos = await countedVideos([...new Set(groups.map(({ videoId }) => videoId))], on)
    const isTest = await testSessions(batch, videos, on)
    const sums = sumViewings(batch, { videos, fresh, isTest })
    await query('viewing-days', DAYS, [day, JSON.stringify(sums.days)], on)
    await writeCells('viewer_day', sums.videos, day, on)
    const isFurther = await writeCells('account_viewer_day', sums.accounts, day, on)
    await sums.pairs.fold(isFurther).write(day, on)
  })
}

const START =
  'INSERT INTO viewing_start (id) SELECT DISTINCT id FROM unnest($1::text[]) AS id ORDER BY id ON CONFLICT DO NOTHING RETURNING id'

/** The day is the database's; $1 is the batch's age in milliseconds. */
const DAY = `SELECT to_char((service_now() - $1::float8 * interval '1 millisecond') AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day`

async function countedVideos(ids: string[], on: Runner): Promise<Map<string, CountedVideo>> {
  const rows = await query<CountedVideo & { id: string }>(
    'viewing-videos',
    `SELECT id, account_id AS "accountId",
       coalesce((SELECT json_object_agg(height, quality) FROM rendition WHERE media_id = video.media_id), '{}') AS qualities
     FROM video WHERE id = ANY ($1) AND ${SERVED} AND ${PLAYABLE}`,
    [ids],
    on,
  )
  return new Map(rows.map(({ id, ...video }) => [id, video]))
}

/** Returns which sessions belong to test keys. */
async function testSessions({ groups }: ViewingBatch, videos: ReadonlyMap<string, CountedVideo>, on: Runner) {
  const accounts = groups.flatMap(({ videoId, reference }) => (reference && videos.get(videoId)?.accountId) || [])
  const keys = await query<{ id: string; accountId: string }>(
    'viewing-test-keys',
    `SELECT id, account_id AS "accountId" FROM api_key WHERE account_id = ANY ($1) AND environment = 'TEST'`,
    [[...new Set(accounts)]],
    on,
  )
  const tests = new Set(keys.map(({ id, accountId }) => `${accountId} ${keyReference(id)}`))
  return (accountId: string, reference: string) => tests.has(`${accountId} ${reference}`)
}

/** Adds two arrays; an empty one counts as zeros. */
const ADDED = (column: string) =>
  `coalesce((SELECT array_agg(coalesce(a, 0) + coalesce(b, 0) ORDER BY at)
     FROM unnest(held.${column}, EXCLUDED.${column}) WITH ORDINALITY AS sums (a, b, at)), '{}')`

/** The largest int4. One report can claim 1,000 stalls, and a sum that overflows fails the batch of all accounts. */
const MOST_COUNTED = 2_147_483_647

/** $1: the day. $2: rows, a JSON array. */
const DAYS = `
  INSERT INTO view_day AS held (video_id, account_id, day, plays, watch_ms, rebuffer_ms, rebuffers, errors, startup, retention)
  SELECT video_id, account_id, $1::date, plays, watch_ms, rebuffer_ms, rebuffers, errors, startup, retention
  FROM jsonb_to_recordset($2::jsonb) AS given (video_id text, account_id text, plays int, watch_ms bigint, rebuffer_ms bigint,
    rebuffers int, errors int, startup int[], retention int[])
  ON CONFLICT (video_id, day) DO UPDATE SET
    plays = held.plays + EXCLUDED.plays,
    watch_ms = held.watch_ms + EXCLUDED.watch_ms,
    rebuffer_ms = held.rebuffer_ms + EXCLUDED.rebuffer_ms,
    rebuffers = least(held.rebuffers::bigint + EXCLUDED.rebuffers, ${MOST_COUNTED}),
    errors = held.errors + EXCLUDED.errors,
    startup = ${ADDED('startup')},
    retention = ${ADDED('retention')}`

const TABLES = {
  viewer_day: { owner: 'video_id', most: MOST_REFERRERS.video },
  account_viewer_day: { owner: 'account_id', most: MOST_REFERRERS.account },
} as const
type Table = keyof typeof TABLES

/** Tells whether an owner's referrer counts as `OTHER`. */
type IsFurther = (owner: string, referrer: string) => boolean

async function writeCells(table: Table, cells: Cells, day: string, on: Runner): Promise<IsFurther> {
  const isFurther = await furtherReferrers(table, cells, day, on)
  const folded = cells.fold(({ owner, dimension, value }) => dimension === 'referrer' && isFurther(owner, value))
  await query(`viewing-${table}`, WRITE[table], [day, JSON.stringify(folded.rows())], on)
  return isFurther
}

const WRITE = {
  viewer_day: `
    INSERT INTO viewer_day AS held (video_id, account_id, day, dimension, value, plays, watch_ms)
    SELECT owner, video.account_id, $1::date, dimension, value, plays, watch_ms
    FROM jsonb_to_recordset($2::jsonb) AS given (owner text, dimension text, value text, plays int, watch_ms bigint)
    JOIN video ON video.id = owner ORDER BY owner COLLATE "C", dimension COLLATE "C", value COLLATE "C"
    ON CONFLICT (video_id, day, dimension, value) DO UPDATE SET plays = held.plays + EXCLUDED.plays, watch_ms = held.watch_ms + EXCLUDED.watch_ms`,
  account_viewer_day: `
    INSERT INTO account_viewer_day AS held (account_id, day, dimension, value, plays, watch_ms, rebuffer_ms, errors, startup, reached)
    SELECT owner, $1::date, dimension, value, plays, watch_ms, rebuffer_ms, errors, startup, reached
    FROM jsonb_to_recordset($2::jsonb) AS given (owner text, dimension text, value text, plays int, watch_ms bigint, rebuffer_ms bigint,
      errors int, startup int[], reached int[])
    ON CONFLICT (account_id, day, dimension, value) DO UPDATE SET
      plays = held.plays + EXCLUDED.plays,
      watch_ms = held.watch_ms + EXCLUDED.watch_ms,
      rebuffer_ms = held.rebuffer_ms + EXCLUDED.rebuffer_ms,
      errors = held.errors + EXCLUDED.errors,
      startup = ${ADDED('startup')},
      reached = ${ADDED('reached')}`,
} as const

/** Processes that write at once may each add a referrer, so there may be a few rows too many. */
async function furtherReferrers(table: Table, cells: Cells, day: string, on: Runner): Promise<IsFurther> {
  const { owner, most } = TABLES[table]
  const named = cells.rows().filter(({ dimension, value }) => dimension === 'referrer' && value !== DIRECT && value !== UNKNOWN)
  const known = await query<{ owner: string; value: string }>(
    `viewing-known-${table}`,
    `SELECT given.owner, given.value FROM unnest($1::text[], $2::text[]) AS given (owner, value)
     JOIN ${table} held ON held.${owner} = given.owner AND held.day = $3::date AND held.dimension = 'referrer' AND held.value = given.value`,
    [named.map((cell) => cell.owner), named.map((cell) => cell.value), day],
    on,
  )
  const held = new Set(known.map((one) => `${one.owner} ${one.value}`))
  const added = named.filter((cell) => !held.has(`${cell.owner} ${cell.value}`))
  if (added.length === 0) return () => false
  const counted = await query<{ owner: string; count: number }>(
    `viewing-count-${table}`,
    `SELECT ${owner} AS owner, count(*)::int AS count FROM ${table}
     WHERE ${owner} = ANY ($1) AND day = $2::date AND dimension = 'referrer' GROUP BY 1`,
    [[...new Set(added.map((cell) => cell.owner))], day],
    on,
  )
  const counts = new Map(counted.map(({ owner: one, count }) => [one, count]))
  const further = new Set<string>()
  for (const cell of added) {
    const count = counts.get(cell.owner) ?? 0
    if (count >= most) further.add(`${cell.owner} ${cell.value}`)
    else counts.set(cell.owner, count + 1)
  }
  return (one, value) => further.has(`${one} ${value}`)
}
