import { readdirSync, readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { expect } from '@playwright/test'
import { startService } from '../../e2e/service.ts'
import { Dashboard } from '../../scripts/demo-dashboard.ts'

/**
 * Measures the CPU time of a request with one web process and with two, supervisor included. On a machine whose load generator leaves no core
 * free this is what bounds the throughput: two processes serve at most twice as much as one, times the ratio of these times.
 */
const REQUESTS = 20_000
/** For each process: responses to simultaneous requests are sent together, so fewer of them cost more each. */
const CONNECTIONS = 32
/** Required throughput of two processes, in multiples of one. */
const SCALE = 1.6
/** Clock ticks of /proc, in milliseconds. */
const TICK_MS = 10

/** Returns the CPU time in milliseconds of this process's children that run Node, and of their children. */
function cpuMs(): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
        const fields = rest.split(' ').map(Number)
        const ms = ((fields[11] ?? 0) + (fields[12] ?? 0)) * TICK_MS
        return [{ pid: Number(pid), parent: fields[1], name, ms }]
      } catch {
        // The process ended meanwhile.
        return []
      }
    })
    .filter(({ name }) => !/^(postgres|sh|ffmpeg)/.test(name))
  const below = (parent: number): number =>
    all.filter((one) => one.parent === parent).reduce((sum, one) => sum + one.ms + below(one.pid), 0)
  return below(process.pid)
}

async function measure(processes: number): Promise<number> {
  const service = await startService({ WEB_PROCESSES: String(processes), ROLES: 'web', ACCOUNT_FREE_TOKENS: '1000000' })
  try {
    const dashboard = await Dashboard.signUp(service.base, 'load@example.com', 'a long enough password')
    const input = { name: 'Load', environment: 'LIVE', scopes: ['video:read'] }
    const { value } = await dashboard.mutate<{ value: string }>('key.create', input)
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS * processes })
    const send = () =>
      new Promise<void>((resolve, reject) => {
        const sent = get(`${service.base}/v1/video`, { agent, headers: { 'x-service-key': value } }, (response) => {
          expect(response.statusCode).toBe(200)
          response.resume().on('end', resolve)
        })
        sent.on('error', reject)
      })
    const run = async (count: number) => {
      let left = count
      const loop = async () => {
        while (left-- > 0) await send()
      }
      await Promise.all(Array.from({ length: CONNECTIONS * processes }, loop))
    }
    // Each process compiles what is hot.
    await run(REQUESTS)
    const before = cpuMs()
    await run(REQUESTS)
    const each = ((cpuMs() - before) * 1_000) / REQUESTS
    agent.destroy()
    console.log(`${processes} web process(es): ${each.toFixed(0)} µs of CPU a request`)
    return each
  } finally {
    await service.stop()
  }
}

const [one, two] = [await measure(1), await measure(2)]
const scale = (2 * one) / two
console.log(`two processes serve ${scale.toFixed(2)} times as much as one where each has a core`)
expect(scale).toBeGreaterThanOrEqual(SCALE)
