import { Agent } from 'node:http'
import pg from 'pg'
import { sealOwnId, viewerReference } from '../server/modules/identity/viewers/reference.ts'
import { encodeCursor } from '../server/platform/database/cursor.ts'
import { makeAccount, makeKey, makeVideo } from '../server/testing/make.ts'
import { startChild } from './child.ts'
import { inTurn, p99 } from './filtered-list.ts'
import { keyed } from './load.ts'
import { isWanted } from './only.ts'
import type { Row } from './report.ts'

const FEW = 1_000
const MANY = 1_000_000
const VIDEOS = 10_000
const BATCH = 10_000
/** A lesson of 20 minutes. */
const DURATION_SEC = 1_200

interface Seeded {
  key: string
  paths: Record<string, string>
}

/**
 * Creates an account with viewers who all watched one video; the first watched a hundredth as many videos as there are viewers. The
 * statements do what triggers do row by row.
 */
export async function seedViewers(superuserUrl: string, viewers: number): Promise<Seeded> {
  const ctx = await makeAccount()
  const { accountId } = ctx
  const { value: key } = await makeKey(ctx, { scopes: ['viewer:read', 'viewer:write'] })
  const videoId = await makeVideo(ctx, { durationSec: DURATION_SEC })
  const videos = Math.min(VIDEOS, viewers / 100)
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  const progress = (rows: string) => `
    INSERT INTO viewer_progress (account_id, viewer_id, video_id, seconds, watched_sec, duration_sec, position_sec, first_at, last_at)
    SELECT $1, w.viewer_id, w.video_id, repeat('10', ${DURATION_SEC / 2})::bit varying, ${DURATION_SEC / 2}, ${DURATION_SEC}, 9, w.at, w.at FROM (${rows}) AS w`
  try {
    await client.query('SET session_replication_role = replica')
    for (let from = 0; from < viewers; from += BATCH) {
      const some = Array.from({ length: Math.min(BATCH, viewers - from) }, (_, at) => `student-${from + at}`)
      const references = await Promise.all(some.map((one) => viewerReference(accountId, one)))
      const sealed = references.map((reference, at) => sealOwnId(reference, some[at] as string))
      await client.query(
        `INSERT INTO viewer (id, account_id, own_id, first_seen_at, last_seen_at)
         SELECT id, $1, own_id, at, at FROM (SELECT id, own_id, timestamptz '2026-01-01' + ($2 + n) * interval '10 seconds' AS at
           FROM unnest($3::text[], $4::bytea[]) WITH ORDINALITY AS given(id, own_id, n)) AS made`,
        [accountId, from, references, sealed],
      )
    }
    await client.query(progress('SELECT id AS viewer_id, $2 AS video_id, last_seen_at AS at FROM viewer WHERE account_id = $1'), [
      accountId,
      videoId,
    ])
    await client.query(
      `INSERT INTO video (id, account_id, title, status, target_quality)
       SELECT 'vid_seen${viewers}_' || n, $1, 'Lesson ' || n, 'COMPLETED', '720p' FROM generate_series(1, $2::int) AS n`,
      [accountId, videos],
    )
    const first = await viewerReference(accountId, 'student-0')
    await client.query(
      progress(`SELECT $2 AS viewer_id, 'vid_seen${viewers}_' || n AS video_id, timestamptz '2026-01-01' + n * interval '1 second' AS at
        FROM generate_series(1, ${videos}) AS n`),
      [accountId, first],
    )
    await client.query('VACUUM ANALYZE viewer, viewer_progress, video')
    const deep = async (of: string, values: unknown[]) => {
      const { rows } = await client.query<{ id: string; at: string }>(of, values)
      const { at, id } = rows[0] as { id: string; at: string }
      return encodeCursor([at, id])
    }
    const time = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`
    const inViewers = await deep(
      `SELECT id, ${time('last_seen_at')} FROM viewer WHERE account_id = $1 ORDER BY last_seen_at DESC, id OFFSET $2 LIMIT 1`,
      [accountId, Math.floor(viewers * 0.9)],
    )
    const inVideos = await deep(
      `SELECT video_id AS id, ${time('last_at')} FROM viewer_progress WHERE viewer_id = $1 ORDER BY last_at DESC, video_id OFFSET $2 LIMIT 1`,
      [first, Math.floor(videos * 0.9)],
    )
    return {
      key,
      paths: {
        viewers: '/v1/viewer?limit=100',
        'viewers, deep': `/v1/viewer?limit=100&cursor=${inViewers}`,
        'viewers of a video': `/v1/video/${videoId}/viewers?limit=100`,
        'viewers of a video, deep': `/v1/video/${videoId}/viewers?limit=100&cursor=${inViewers}`,
        'videos of a viewer': '/v1/viewer/student-0?limit=100',
        'videos of a viewer, deep': `/v1/viewer/student-0?limit=100&cursor=${inVideos}`,
      },
    }
  } finally {
    await client.end()
  }
}

const workOf = (path: string) => `${path}: p99`
const PAIRS = 1_000
const WARM_UP = 100
const CONNECTIONS = 2

/** Compares the p99 of a page of viewers among a million with the p99 among a thousand, like `filteredLists`. */
export async function viewerLists(env: Record<string, string>, superuserUrl: string): Promise<Row[]> {
  const accounts = [await seedViewers(superuserUrl, FEW), await seedViewers(superuserUrl, MANY)]
  const lane = await startChild('reelgate', { env })
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const rows: Row[] = []
  for (const path of Object.keys(accounts[0]?.paths ?? {}).filter((name) => isWanted(workOf(name)))) {
    const targets = accounts.map(({ key, paths }) => keyed(lane.url, paths[path] as string, key))
    await inTurn(targets, agent, WARM_UP)
    const [few, many] = (await inTurn(targets, agent, PAIRS)).map((times) => p99(times)) as [number, number]
    rows.push({
      ...{ work: workOf(path), baseline: '1,000 viewers', rate: many, ceiling: few, ratio: many / few },
      ...{ reach: 2, below: true, unit: 'ms' },
    })
  }
  agent.destroy()
  await lane.stop()
  return rows
}
