import { JOBS } from '../jobs.ts'
import { query } from '../platform/database/database.ts'
import { jobDuration, jobRuns } from '../platform/job-queue.ts'
import { gaugesFromDatabase } from '../platform/observe/metric-readings.ts'

export const JOB_METRICS = [
  jobRuns,
  jobDuration,
  ...gaugesFromDatabase(
    {
      reelgate_jobs_waiting: 'Due jobs waiting for a worker.',
      reelgate_jobs_oldest_waiting_seconds: 'How long the oldest of these has been due; 0 if none is waiting.',
      reelgate_jobs_running: 'Running jobs, counted every few seconds.',
    },
    async () => {
      const rows = await query<{ kind: string; waiting: number; oldest: number; running: number }>('metric-jobs', QUEUES, [
        Object.keys(JOBS),
      ])
      const byKind = (figure: 'waiting' | 'oldest' | 'running') => rows.map((row) => ({ labels: { kind: row.kind }, value: row[figure] }))
      return {
        reelgate_jobs_waiting: byKind('waiting'),
        reelgate_jobs_oldest_waiting_seconds: byKind('oldest'),
        reelgate_jobs_running: byKind('running'),
      }
    },
  ),
]

/** Finished jobs stay in the table for days. The index on waiting jobs leaves them out, and pg-boss counts the running ones itself. */
const QUEUES = `
  SELECT q.name AS kind, q.active_count AS running, coalesce(due.waiting, 0)::int AS waiting, coalesce(due.oldest, 0)::float8 AS oldest
  FROM pgboss.queue q LEFT JOIN (
    SELECT name, count(*) AS waiting, extract(epoch FROM now() - min(start_after)) AS oldest FROM pgboss.job
    WHERE state < 'active' AND NOT blocked AND start_after <= now() GROUP BY name) AS due USING (name)
  WHERE q.name = ANY ($1)`
