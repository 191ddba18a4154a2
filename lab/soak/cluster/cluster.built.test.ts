import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sampleClipArguments } from '../../../server/modules/transcoding/quality/sample-clip.ts'
import { env } from '../../../server/platform/config/config.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { expectLoggedErrors } from '../../../server/testing/logs.ts'
import { makeMediaFile } from '../../../server/testing/media/media-files.ts'
import { isInstalled } from '../../../server/testing/services/proxies.ts'
import { type Receiver, startReceiver } from '../../../server/testing/services/receiver.ts'
import { startCluster } from './cluster.ts'
import { killWeb, killWorker } from './faults.ts'
import { runFaults } from './run-faults.ts'
import { CLUSTER_SETTINGS } from './settings.ts'
import { runTrial, SHOWN } from './trial.ts'

expectLoggedErrors(/.*/)

/** The short form of `npm run soak -- cluster`: two faults, one database, media on a shared disk. */
const canRun = !process.env.REELGATE_SOAK && isInstalled('haproxy')
const database = canRun ? await testDatabase() : undefined
const receiver = canRun ? await startReceiver() : undefined

test.runIf(database && receiver)(
  'two web processes and two workers under load, of which one each is killed, keep what clients were promised',
  async () => {
    const { url, dataDir } = database as { url: string; dataDir: string }
    const clip = await readFile(await makeMediaFile('soak.mp4', sampleClipArguments({ seconds: 2, width: 320, height: 240, rate: 15 })))
    const { REELGATE_SECRET = '' } = env()
    const cluster = await startCluster({ ...CLUSTER_SETTINGS, DATABASE_URL: url, REELGATE_SECRET }, {}, dataDir)
    // The others take over: starting a process costs more than the rest.
    const faults = [killWorker(0), killWeb(0)].map((fault) => ({ ...fault, heal: undefined }))
    const { report, violations } = await runTrial({
      ...{ cluster, receiver: receiver as Receiver, clip, limitedKeys: 10, quota: 12 },
      faults: () => runFaults(cluster, faults, { calmMs: 1_000 }),
    })
    console.log(report)
    expect(violations.slice(0, SHOWN)).toEqual([])
  },
  180_000,
)
