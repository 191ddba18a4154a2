import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { JOBS } from '../jobs.ts'
import { testDatabase } from '../testing/database.ts'
import { db, query } from './database/database.ts'
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
  await vi.waitFor(() => expect(sent.toSorted()).toEqual(all.map(({ to }) => to).toSorted()), { interval: 50 })
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
  await vi.waitFor(() => expect(sent).toEqual([mail(1).to]), { interval: 50 })
})

it('runs several jobs of a kind at once, and leaves one worker to other groups', async () => {
  const running = new Set<string>()
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const send = (to: string, group: string) => db().$transaction((tx) => enqueue(tx, JOBS['mail.send'], { ...mail(0), to }, { group }))
  for (const to of ['a1', 'a2', 'a3', 'a4']) await send(to, 'a')
  const atOnce = 3
  await startJobWorkers(
    JOBS['mail.send'],
    async ({ to }) => {
      running.add(to)
      await ended
    },
    atOnce,
  )
  const groups = () => [...running].map(([group]) => group).sort()
  await vi.waitFor(() => expect(groups()).toEqual(['a', 'a']), { interval: 50 })
  await send('b1', 'b')
  await vi.waitFor(() => expect(groups()).toEqual(['a', 'a', 'b']), { interval: 50 })
  end()
  await vi.waitFor(() => expect([...running].sort()).toEqual(['a1', 'a2', 'a3', 'a4', 'b1']), { interval: 50 })
})

it('keeps the group of a job that a stopping worker returns', async () => {
  await db().$transaction((tx) => enqueue(tx, JOBS['mail.send'], mail(2), { group: 'a' }))
  const begun = new Promise<void>((resolve) => {
    void startJobWorkers(JOBS['mail.send'], (_payload, signal) => {
      resolve()
      return new Promise((_done, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
  })
  await begun
  await stopQueue()
  const sql = `SELECT group_id AS "group" FROM pgboss.job WHERE name = 'mail.send' AND state = 'created' AND data->>'to' = $1`
  expect(await query('test-groups', sql, [mail(2).to])).toEqual([{ group: 'a' }])
})
