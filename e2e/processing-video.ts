import pg from 'pg'
import './container.ts'
import { attachToEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { newId } from '../server/platform/secrets/crypto.ts'

const VIDEO = `
  INSERT INTO video (id, account_id, title, target_quality, media_id) VALUES ($1, $2, 'Panel discussion, hall A', '1080p', $1)`

const MEDIA = `
  INSERT INTO media (id, video_id, account_id, status, progress, duration_sec, target_quality, source_key, source_bytes, source_name, started_at,
    playable_at, eta_sec)
  VALUES ($1, $1, $2, 'PROCESSING', 44, 720, '1080p', 'sources/' || $1, 3400000000, 'hall-a.mov',
    now() - interval '75 seconds', now() - interval '60 seconds', 95)`

/** Its tasks are leased, or due, long after the tests: no worker takes them. */
const QUEUE = `INSERT INTO transcode_queue (media_id, account_id, plan) VALUES ($1, $2, $3)`

const TASKS = `
  INSERT INTO transcode_task (media_id, kind, position, due_at, leased_until, lease_id, losses, worker, started_at, progress, cause, done_at)
  SELECT $1, kind, position, '2100-01-01', CASE state WHEN 'running' THEN '2100-01-01'::timestamptz END,
    CASE state WHEN 'waiting' THEN NULL ELSE gen_random_uuid() END, CASE state WHEN 'retrying' THEN 1 ELSE 0 END,
    CASE WHEN state = 'waiting' THEN NULL WHEN position % 2 = 0 THEN $2 ELSE $3 END,
    CASE state WHEN 'waiting' THEN NULL ELSE now() - make_interval(secs => 70 - position * 6) END, share,
    NULL, CASE state WHEN 'done' THEN now() - make_interval(secs => 58 - position * 6) END
  FROM (
    SELECT 'video' AS kind, n AS position,
      CASE WHEN n < 7 THEN 'done' WHEN n IN (7, 8) THEN 'running' WHEN n = 9 THEN 'retrying' ELSE 'waiting' END AS state,
      CASE WHEN n < 7 THEN 1 WHEN n = 7 THEN 0.62 WHEN n = 8 THEN 0.18 ELSE 0 END AS share
    FROM generate_series(0, 17) AS n
    UNION ALL VALUES ('plan', 0, 'done', 1), ('audio', 0, 'done', 1), ('audio', 1, 'running', 0.7), ('finish', 0, 'waiting', 0)
  ) AS planned`

/** A second machine, which stays in the list of processes for as long as the tests run. */
const WORKER = `
  INSERT INTO process (id, host, pid, roles, version, heartbeat_at) VALUES ($1, 'encoder-2', 4242, '{worker}', '0.1.0', now() + interval '1 day')
  ON CONFLICT DO NOTHING`

/** Adds a video to an account that two workers encode for as long as the tests run. Returns its id. */
export async function insertProcessingVideo(accountId: string): Promise<string> {
  const { url, stop } = await attachToEmbeddedPostgres(process.env.REELGATE_E2E_DATA as string)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const [id, second] = [newId('vid'), newId('prc')]
  const { rows } = await client.query(`SELECT id FROM process WHERE 'worker' = ANY(roles) ORDER BY started_at LIMIT 1`)
  await client.query('BEGIN')
  await client.query(VIDEO, [id, accountId])
  await client.query(MEDIA, [id, accountId])
  await client.query(QUEUE, [id, accountId, JSON.stringify(PLAN)])
  await client.query(WORKER, [second])
  await client.query(TASKS, [id, rows[0].id, second])
  await client.query('COMMIT')
  await client.end()
  await stop()
  return id
}

const TRACKS = [
  { stream: 1, language: 'en', name: 'English', isDefault: true, mono: false, endsEarlySec: 0 },
  { stream: 2, language: 'es', name: 'Español', isDefault: false, mono: false, endsEarlySec: 0 },
]

const PLAN = {
  version: 1,
  facts: { durationSec: 720, frameRate: { text: '25', value: 25 }, audio: TRACKS },
  renditions: [
    { quality: '1080p', width: 1920, height: 1080, maxVideoRate: 5_000_000 },
    { quality: '480p', width: 854, height: 480, maxVideoRate: 1_400_000 },
  ],
  segmentSec: 4,
  chunks: Array.from({ length: 18 }, (_, position) => ({
    ...{ position, startFrame: position * 1_000, frames: position === 17 ? null : 1_000, expectedFrames: 1_000 },
    ...{ firstSegment: position * 10, seek: null },
  })),
}
