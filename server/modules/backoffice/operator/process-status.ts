import { JOBS } from '../../../jobs.ts'
import { query } from '../../../platform/database/database.ts'
import { SILENT_SEC } from '../../../platform/process-registry.ts'

export interface ProcessStatus {
  id: string
  host: string
  pid: number
  roles: string[]
  version: string
  startedAt: Date
  heartbeatAt: Date
  /** Whether its last heartbeat is older than that of a running process can be. */
  isSilent: boolean
  /** Why its worker is paused; null while it runs. */
  fault: string | null
}

type Columns = { [column: string]: unknown }

const PROCESSES = `
  SELECT id, host, pid, roles, version, started_at AS "startedAt", heartbeat_at AS "heartbeatAt", fault,
    heartbeat_at < service_clock() - make_interval(secs => $1) AS "isSilent"
  FROM process ORDER BY host, pid LIMIT 500`

/** Returns the processes of the installation, by host; at most 500. */
export const readProcesses = (): Promise<ProcessStatus[]> => query<ProcessStatus & Columns>('operator-processes', PROCESSES, [SILENT_SEC])

/** The jobs of one kind that wait, or that failed for good in the last day. */
export interface JobStatus {
  name: string
  waiting: number
  /** Seconds for which the oldest has been due. */
  oldest: number
  failed: number
  /** Why the last one failed, in one line; null without a failure. */
  lastError: string | null
}

/** Leaves out the queue's own jobs. */
const WAITING_JOBS = `
  SELECT name, count(*) FILTER (WHERE state IN ('created', 'retry'))::int AS waiting,
    coalesce(extract(epoch FROM service_clock() - min(start_after) FILTER (WHERE state IN ('created', 'retry'))), 0)::float8 AS oldest,
    count(*) FILTER (WHERE state = 'failed')::int AS failed,
    (array_agg(left(split_part(coalesce(output->>'message', output->'value'->>'message'), E'\n', 1), 200) ORDER BY completed_on DESC)
      FILTER (WHERE state = 'failed'))[1] AS "lastError"
  FROM pgboss.job
  WHERE name = ANY ($1) AND ((state IN ('created', 'retry') AND start_after <= service_clock())
    OR (state = 'failed' AND completed_on > service_clock() - interval '1 day'))
  GROUP BY name ORDER BY failed DESC, waiting DESC, name`

/** Returns the kinds of jobs that wait or failed; none before the job queue has created its tables. */
export async function readJobs(): Promise<JobStatus[]> {
  const [made] = await query<{ made: boolean }>('operator-jobs-made', `SELECT to_regclass('pgboss.job') IS NOT NULL AS made`, [])
  return made?.made ? query<JobStatus & Columns>('operator-jobs', WAITING_JOBS, [Object.keys(JOBS)]) : []
}
