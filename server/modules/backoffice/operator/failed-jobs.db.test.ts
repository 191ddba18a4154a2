import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { JOBS } from '../../../jobs.ts'
import { db, query } from '../../../platform/database/database.ts'
import { enqueue, startJobWorkers, startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { testDatabase } from '../../../testing/database.ts'
import { readJobs } from './process-status.ts'

await testDatabase()
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)

const mail = (to: string) => ({ to, subject: 'A test', text: 'Text' })

it('readJobs counts jobs that failed for good, with the first line of the last error', async () => {
  await db().$transaction(async (tx) => {
    await enqueue(tx, JOBS['mail.send'], mail('first@example.com'))
    await enqueue(tx, JOBS['mail.send'], mail('second@example.com'))
  })
  await query('no-retries', "UPDATE pgboss.job SET retry_limit = 0 WHERE name = 'mail.send'", [])
  expect(await readJobs()).toMatchObject([{ name: 'mail.send', waiting: 2, failed: 0, lastError: null }])
  const tried: string[] = []
  await startJobWorkers(JOBS['mail.send'], async ({ to }) => {
    tried.push(to)
    throw new Error(`No server accepts mail for ${to}.\nA second line.`)
  })
  await vi.waitFor(async () => expect(await readJobs()).toMatchObject([{ waiting: 0, failed: 2 }]), { interval: 50 })
  const [jobs] = await readJobs()
  expect(jobs?.lastError).toBe(`No server accepts mail for ${tried.at(-1)}.`)
})
