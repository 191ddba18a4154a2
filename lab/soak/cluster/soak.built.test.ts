import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { sampleClipArguments } from '../../../server/modules/transcoding/quality/sample-clip.ts'
import { closeDb } from '../../../server/platform/database/database.ts'
import { notifications } from '../../../server/platform/database/notifications.ts'
import { expectLoggedErrors } from '../../../server/testing/logs.ts'
import { makeMediaFile } from '../../../server/testing/media/media-files.ts'
import { findPostgres } from '../../../server/testing/services/postgres-pair.ts'
import { isInstalled } from '../../../server/testing/services/proxies.ts'
import { type Receiver, startReceiver } from '../../../server/testing/services/receiver.ts'
import { startCluster } from './cluster.ts'
import { allFaults } from './faults.ts'
import { type Installation, startInstallation } from './installation.ts'
import { costTable, processTable } from './measure.ts'
import { runFaults } from './run-faults.ts'
import { runTrial, SHOWN } from './trial.ts'

expectLoggedErrors(/.*/)

/** How long faults are repeated; each runs once at least. */
const MINUTES = Number(process.env.REELGATE_SOAK_MINUTES ?? 30)
const CALM_MS = 8_000
/** Keys with a quota, and their quota: at the pace of the backends a key lasts for several seconds. */
const LIMITED_KEYS = 90
const quota = Math.max(30, Math.round(MINUTES * 4))

const bin = process.env.REELGATE_SOAK ? findPostgres() : undefined
const installation = bin && isInstalled('haproxy') ? await startInstallation(bin) : undefined
// A receiver that fails now and then, so that deliveries are repeated.
const receiver = installation && (await startReceiver((_got, res) => res.writeHead(Math.random() < 0.05 ? 500 : 200).end()))
afterAll(async () => {
  if (!installation) return
  await notifications().stop()
  await closeDb()
  await installation.parts.swift?.stop()
})

test.runIf(installation && receiver)(
  `a cluster keeps its promises for ${MINUTES} minutes of faults`,
  async () => {
    const { settings, parts } = installation as Installation
    const clip = await readFile(await makeMediaFile('soak.mp4', sampleClipArguments({ seconds: 2, width: 320, height: 240, rate: 15 })))
    const cluster = await startCluster(settings, parts)
    const began = performance.now()
    const print = (line: string) => process.stderr.write(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${line}\n`)
    const { report, violations } = await runTrial({
      ...{ cluster, receiver: receiver as Receiver, clip, limitedKeys: LIMITED_KEYS, quota },
      async measure(outcomes, customer, videoId) {
        print(`CPU time\n${await costTable(cluster, outcomes, customer, videoId)}`)
      },
      async faults({ customer }) {
        print('under load')
        print(`processes\n${await processTable(cluster)}`)
        const over = () => performance.now() - began > MINUTES * 60_000
        return runFaults(cluster, allFaults(cluster, customer.ctx), { calmMs: CALM_MS, over, print })
      },
    })
    const logs = [...cluster.webs, ...cluster.workers].map(({ name, said }) => `── ${name}\n${said}`)
    await writeFile(join(import.meta.dirname, '../../../.cache/cluster.log'), logs.join('\n'))
    process.stderr.write(`${report}\n`)
    expect(violations.slice(0, SHOWN)).toEqual([])
  },
  (MINUTES + 30) * 60_000,
)
