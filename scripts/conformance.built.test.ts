import { expect, it } from 'vitest'
import { testDatabase } from '../server/testing/database.ts'
import { nextHost } from '../server/testing/next-host.ts'
import { wholeAccount } from '../server/testing/whole-account.ts'
import { asTable } from './conformance/report.mjs'
import { runConformance } from './conformance/run.mjs'

await testDatabase()
const baseUrl = await nextHost()

it('the same contract holds where Next alone serves app/v1, without the router', async () => {
  const report = await runConformance({ baseUrl, ...(await wholeAccount()) })
  const drifted = report.checks.filter(({ outcome }) => outcome === 'drifted').map(({ id }) => id)
  // Fixture media is read next to its source file, and erasures enqueue a job: main.ts alone has both.
  expect(drifted, asTable(report)).toEqual(['policy.height', 'viewer.sessions'])
  expect(report.summary.skipped).toBe(0)
})
