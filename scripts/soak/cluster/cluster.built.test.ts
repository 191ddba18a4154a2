import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { sampleClipArguments } from '../../../server/modules/transcoding/sample-clip.ts'
import { env } from '../../../server/platform/config.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { expectLoggedErrors } from '../../../server/testing/logs.ts'
import { makeMediaFile } from '../../../server/testing/media-files.ts'
import { isInstalled } from '../../../server/testing/proxies.ts'
import { startReceiver } from '../../../server/testing/receiver.ts'
import { startCluster } from './cluster.ts'
import { killWeb, killWorker } from './faults.ts'
import { runFaults } from './run-faults.ts'
import { CLUSTER_SETTINGS } from './settings.ts'
import { runTrial } from './trial.ts'

expectLoggedErrors(/.*/)

/** The short form of `npm run soak -- cluster`: two faults, one database, media on a shared disk. */
describe.runIf(isInstalled('haproxy') && !process.env.REELGATE_SOAK)('two web processes and two workers under load', async () => {
  const { url, dataDir } = await testDatabase()
  const receiver = await startReceiver()

  test('a killed web process and a killed worker lose nothing that clients were promised', async () => {
    const clip = await readFile(await makeMediaFile('soak.mp4', sampleClipArguments({ seconds: 2, width: 320, height: 240, rate: 15 })))
    const { REELGATE_SECRET = '' } = env()
    const settings = { ...CLUSTER_SETTINGS, DATABASE_URL: url, REELGATE_SECRET }
    const cluster = await startCluster(settings, {}, dataDir)
    const { report, violations } = await runTrial({
      ...{ cluster, receiver, clip, limitedKeys: 10, quota: 12 },
      faults: () => runFaults(cluster, [killWorker(0), killWeb(0)], { calmMs: 1_000 }),
    })
    console.log(report)
    expect(violations).toEqual([])
  }, 180_000)
})
