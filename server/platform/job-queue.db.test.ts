import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { JOBS } from '../jobs.ts'
import { testDatabase } from '../testing/database.ts'
import { db, query } from './database.ts'
import { enqueue, startJobWorkers, startQueue, stopQueue } from './job-queue.ts'

await testDatabase()
beforeEach(() => startQueue(JOBS))
afterEach(stopQueue)

const mail = (nr: number) => ({ to: `user-${nr}@example.com`, subject: 'A test', text: 'Text' })

it('runs jobs that wait one after another, without waiting for the polling interval after each', async () => {
  const all = Array.from({ length: 40 }, (_, nr) => mail(nr))
  await db().$transaction(async (tx) => {
    for (const one of all) await enqueue(tx, JOBS['mail.send'], one)
  })
  const sent: string[] = []
  await startJobWorkers(JOBS['mail.send'], async ({ to }) => void sent.push(to))
  // With a pause of one polling interval after each job these take more than three minutes.
  await vi.waitFor(() => expect(sent.toSorted()).toEqual(all.map(({ to }) => to).toSorted()), { timeout: 15_000, interval: 50 })
})

it('gives the job of a killed worker to another one once its heartbeats are missing, long before the job expires', async () => {
  await db().$transaction((tx) => enqueue(tx, JOBS['mail.send'], mail(1)))
  // A worker that took the job and was killed 11 seconds ago.
  const killed = await query<{ heartbeat_seconds: number | null }>(
    'kill-worker',
    `UPDATE pgboss.job SET state = 'active', started_on = now() - interval '11 seconds', heartbeat_on = now() - interval '11 seconds',
       retry_delay = 0 WHERE name = 'mail.send' AND state = 'created' RETURNING heartbeat_seconds`,
    [],
  )
  expect(killed).toEqual([{ heartbeat_seconds: 10 }])
  const sent: string[] = []
  await startJobWorkers(JOBS['mail.send'], async ({ to }) => void sent.push(to))
  await vi.waitFor(() => expect(sent).toEqual([mail(1).to]), { timeout: 15_000, interval: 50 })
})
