import { expect, vi } from 'vitest'
import { db } from '../../../server/platform/database/database.ts'
import type { Receiver } from '../../../server/testing/services/receiver.ts'
import { type Customer, makeCustomer } from './account.ts'
import { checkCounters, checkEvents, checkLedger, checkQuota, checkUploads } from './checks.ts'
import type { Cluster } from './cluster.ts'
import { Load } from './load.ts'
import { Outcomes } from './outcomes.ts'
import { failureTable, faultTable, unexcused } from './report.ts'
import type { FaultRun } from './run-faults.ts'
import { settle } from './settle.ts'
import { uploadOnce } from './uploader.ts'

export interface Trial {
  cluster: Cluster
  receiver: Receiver
  /** The file that members upload, and that viewers see. */
  clip: Buffer
  /** Keys whose quota is reached, and the quota of each. */
  limitedKeys: number
  quota: number
  /** Measures before the load begins. */
  measure?(outcomes: Outcomes, customer: Customer, videoId: string): Promise<void>
  /** Runs the faults while the load runs. */
  faults(load: Load): Promise<FaultRun>
}

/** Violations that a failed trial prints: one outage can fail thousands of requests. */
export const SHOWN = 40

/** What a trial found. */
export interface Result {
  /** For people: tables and a line for each check. */
  report: string
  violations: string[]
}

/** Puts a cluster under load, runs the faults, and checks what the service recorded against what its clients saw. */
export async function runTrial({ cluster, receiver, clip, limitedKeys, quota, measure, faults }: Trial): Promise<Result> {
  const outcomes = new Outcomes(cluster.base)
  const customer = await makeCustomer(outcomes, receiver.url, limitedKeys, quota)
  const first = await uploadOnce(outcomes, customer.cookie, clip, () => false)
  if (!first) throw new Error('the first upload was refused')
  const status = async () => (await db().video.findUniqueOrThrow({ where: { id: first.videoId } })).status
  await vi.waitFor(async () => expect(await status()).toBe('COMPLETED'), { timeout: 60_000, interval: 100 })

  await measure?.(outcomes, customer, first.videoId)
  const load = new Load(outcomes, customer, first.videoId, clip)
  load.start()
  const { windows, violations } = await faults(load).finally(() => load.stop())
  const uploads = [first, ...load.uploads]
  await settle(uploads)
  const verdicts = [
    await checkQuota(customer),
    await checkLedger(customer),
    await checkCounters(customer, outcomes.all, windows),
    await checkUploads(uploads),
    await checkEvents(customer, uploads, receiver.log),
  ]
  const all = [...violations, ...unexcused(outcomes.all, windows), ...verdicts.flatMap((verdict) => verdict.violations)]
  const requests = `requests: ${outcomes.all.length.toLocaleString('en-US')}, failed: ${outcomes.all.filter(({ failed }) => failed).length}`
  const report = [faultTable(outcomes.all, windows), requests, failureTable(outcomes.all), ...verdicts.map(({ line }) => line)]
  return { report: report.filter(Boolean).join('\n'), violations: all }
}
