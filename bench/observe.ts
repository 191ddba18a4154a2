import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Child, startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { keyed, load, median, ROUNDS, type Target } from './load.ts'
import type { Row } from './report.ts'
import { seedAccount } from './seed.ts'

/** What the access log and traces cost: CPU of the server per request, with and without them. */
export const benchObserve = () =>
  withDatabase(async (env) => {
    const { key, videoId } = await seedAccount(1)
    const collector = createServer((req, res) => req.resume().on('end', () => res.end()))
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
    const traced = {
      ACCESS_LOG: 'off',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    }
    const settings: [string, Record<string, string>, number][] = [
      ['access log: errors', { ACCESS_LOG: 'errors' }, 1.1],
      ['access log: all', { ACCESS_LOG: 'all' }, 1.5],
      ['traces: 1 % of requests', { ...traced, OTEL_TRACES_SAMPLER_ARG: '0.01' }, 1.3],
      ['traces: all requests', { ...traced, OTEL_TRACES_SAMPLER_ARG: '1' }, 5],
    ]
    const rows: Row[] = []
    for (const [name, method, path, connections] of [
      ['GET video', 'GET', `/v1/video/${videoId}`, 16],
      ['playback-token', 'POST', `/v1/video/${videoId}/playback-token`, 64],
    ] as const) {
      const off = await startChild('reelgate', { env: { ...env, ACCESS_LOG: 'off' } })
      const others = []
      for (const [, given] of settings) others.push(await startChild('reelgate', { env: { ...env, ...given } }))
      const all = [off, ...others]
      const measured: number[][] = all.map(() => [])
      for (let round = 0; round <= ROUNDS; round++)
        for (const [at, child] of all.entries()) {
          const perRequest = await cpuPerRequest(child, keyed(child.url, path, key, method), connections)
          // The first round compiles.
          if (round > 0) measured[at]?.push(perRequest)
        }
      const [without, ...withIt] = measured.map(median) as [number, ...number[]]
      for (const [at, rate] of withIt.entries()) {
        const [setting, , reach] = settings[at] as (typeof settings)[number]
        const ratios = measured[at + 1]?.map((value, round) => value / (measured[0]?.[round] as number)) as number[]
        const row = { work: `${name}, ${setting}`, baseline: 'neither', rate, ceiling: without }
        rows.push({ ...row, ratio: median(ratios), reach, below: true, unit: 'µs CPU' })
      }
      for (const child of all) await child.stop()
    }
    collector.close()
    return rows
  })

/** Returns microseconds of CPU of the server, all of its threads, per request. */
async function cpuPerRequest(child: Child, target: Target, connections: number): Promise<number> {
  const used = async () => {
    const { cpu } = await child.ask<{ cpu: NodeJS.CpuUsage }>('cpu')
    return cpu.user + cpu.system
  }
  const before = await used()
  const { total } = await load(target, { connections })
  return ((await used()) - before) / total
}
