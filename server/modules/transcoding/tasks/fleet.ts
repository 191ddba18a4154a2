import { query } from '../../../platform/database/database.ts'
import { LEASE_MS } from '../../../platform/leases.ts'
import type { Tier } from '../../../platform/prisma/enums.ts'
import { SILENT_SEC } from '../../../platform/process-registry.ts'

/** A running task. Seconds of the video; null for tasks that are not chunks. */
export interface FleetTask {
  accountId: string
  videoId: string
  kind: 'copy' | 'quality' | 'video' | 'audio' | 'finish' | 'transcribe'
  position: number
  startSec: number | null
  endSec: number | null
  /** 0 to 1. */
  progress: number
  startedAt: Date
  /** When its worker last renewed its lease. */
  reportedAt: Date
}

export interface FleetWorker {
  id: string
  /** Null for a worker that has a task but no entry among the processes: it ended, and another took its place. */
  process: {
    host: string
    pid: number
    version: string
    startedAt: Date
    heartbeatAt: Date
    /** Whether it was lost: it sends no heartbeat, and did not end as a stopped process does. */
    isSilent: boolean
    fault: string | null
  } | null
  tasks: FleetTask[]
}

/** An account with videos in the queue. */
export interface FleetQueue {
  accountId: string
  name: string
  tier: Tier
  videos: number
  /** Waiting tasks. A video that is not analyzed has none yet. */
  waitingTasks: number
  runningTasks: number
  oldestAt: Date
}

/** What the installation's workers are doing and how long videos wait. */
export interface Fleet {
  workers: FleetWorker[]
  /** Videos whose files are being analyzed. */
  analyzing: number
  /** Seconds of video that were completed within the last hour. */
  completedHourSec: number
  /** Accounts, longest wait first, at most `MOST_ACCOUNTS`. */
  queue: FleetQueue[]
  /** How many accounts are in the queue, including those beyond the list. */
  accounts: number
  /** Seconds from the queue to a worker, for videos that started in the last 24 hours. */
  wait: { videos: number; p50: number | null; p95: number | null }
}

const MOST_ACCOUNTS = 50

/** Returns the state of the workers and of the queue. */
export async function readFleet(): Promise<Fleet> {
  const [processes, tasks, queue, [figures]] = await Promise.all([
    query<StoredProcess & { [column: string]: unknown }>('fleet-processes', PROCESSES, [SILENT_SEC]),
    query<FleetTask & { worker: string | null; [column: string]: unknown }>('fleet-tasks', TASKS, [LEASE_MS / 1_000]),
    query<FleetQueue & { accounts: number; [column: string]: unknown }>('fleet-queue', QUEUE, [MOST_ACCOUNTS]),
    query<StoredFigures & { [column: string]: unknown }>('fleet-figures', FIGURES, []),
  ])
  const named = new Map(processes.map(({ id, ...process }) => [id, process]))
  const ids = new Set([...named.keys(), ...tasks.map(({ worker }) => worker ?? '')])
  return {
    workers: [...ids].map((id) => ({
      id,
      process: named.get(id) ?? null,
      tasks: tasks.filter(({ worker }) => (worker ?? '') === id).map(({ worker: _, ...task }) => task),
    })),
    ...(figures as StoredFigures),
    queue: queue.map(({ accounts: _, ...one }) => one),
    accounts: queue[0]?.accounts ?? 0,
  }
}

type StoredProcess = { id: string } & NonNullable<FleetWorker['process']>
type StoredFigures = Pick<Fleet, 'analyzing' | 'completedHourSec' | 'wait'>

const PROCESSES = `
  SELECT id, host, pid, version, started_at AS "startedAt", heartbeat_at AS "heartbeatAt", fault,
    heartbeat_at < service_clock() - make_interval(secs => $1) AS "isSilent"
  FROM process WHERE 'worker' = ANY(roles) ORDER BY host, started_at, id`

const TASKS = `
  SELECT q.account_id AS "accountId", m.video_id AS "videoId", t.kind, t.position, t.worker, t.progress, t.started_at AS "startedAt",
    t.leased_until - make_interval(secs => $1) AS "reportedAt",
    (chunk ->> 'startFrame')::float8 / rate AS "startSec",
    ((chunk ->> 'startFrame')::float8 + (chunk ->> 'expectedFrames')::float8) / rate AS "endSec"
  FROM transcode_task t JOIN transcode_queue q USING (media_id) JOIN media m ON m.id = t.media_id
  CROSS JOIN LATERAL (SELECT CASE t.kind WHEN 'video' THEN q.plan -> 'chunks' -> t.position END AS chunk,
    (q.plan -> 'facts' -> 'frameRate' ->> 'value')::float8 AS rate) AS planned
  WHERE t.kind <> 'plan' AND t.done_at IS NULL AND t.leased_until > service_now() AND t.started_at IS NOT NULL
  UNION ALL
  SELECT account_id, video_id, 'transcribe', position, worker, COALESCE(done_sec / NULLIF(speech_sec, 0), 0), started_at,
    leased_until - make_interval(secs => $1), NULL, NULL
  FROM transcript WHERE state = 'open' AND leased_until > service_now()
  ORDER BY "startedAt", "videoId", kind DESC, position`

const QUEUE = `
  SELECT q.account_id AS "accountId", a.name, a.tier, count(*)::int AS videos, min(q.queued_at) AS "oldestAt",
    coalesce(sum(t.waiting), 0)::int AS "waitingTasks", coalesce(sum(t.running), 0)::int AS "runningTasks", (count(*) OVER ())::int AS accounts
  FROM transcode_queue q JOIN account a ON a.id = q.account_id
  LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE leased_until IS NULL OR leased_until <= service_now()) AS waiting,
      count(*) FILTER (WHERE leased_until > service_now()) AS running
    FROM transcode_task WHERE media_id = q.media_id AND done_at IS NULL) AS t ON true
  GROUP BY q.account_id, a.name, a.tier ORDER BY "oldestAt", q.account_id LIMIT $1`

const FIGURES = `
  SELECT
    (SELECT count(*) FROM transcode_task WHERE kind = 'plan' AND done_at IS NULL AND leased_until > service_now())::int AS analyzing,
    coalesce((SELECT sum(m.duration_sec) FROM video v JOIN media m ON m.id = v.media_id
      WHERE v.status = 'COMPLETED' AND v.completed_at > service_now() - interval '1 hour'), 0)::float8 AS "completedHourSec",
    (SELECT json_build_object('videos', count(*), 'p50', percentile_cont(0.5) WITHIN GROUP (ORDER BY waited),
        'p95', percentile_cont(0.95) WITHIN GROUP (ORDER BY waited))
      FROM (SELECT extract(epoch FROM started_at - created_at)::float8 AS waited FROM media
        WHERE started_at > service_now() - interval '1 day' AND attempts = 1) AS w) AS wait`
