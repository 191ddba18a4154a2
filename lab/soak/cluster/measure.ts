import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { repeatConcurrently } from '../../../server/testing/client.ts'
import type { Customer } from './account.ts'
import type { Cluster } from './cluster.ts'
import type { Outcomes } from './outcomes.ts'
import { openPlayback } from './viewer.ts'

/** Clock ticks of /proc, in milliseconds. */
const TICK_MS = 10
const SAMPLE_MS = 10_000

/** Returns a Markdown table of what each process uses under the load: database connections, memory, CPU time. It takes ten seconds. */
export async function processTable({ webs, workers }: Cluster): Promise<string> {
  const members = [...webs, ...workers]
  const before = members.map(({ pid }) => cpuMs(pid))
  await wait(SAMPLE_MS)
  const rows = members.map(({ name, pid, url }, at) => [
    name,
    connections(pid, Number(new URL(url).port)),
    `${Math.round(memoryMb(pid))} MB`,
    `${(((cpuMs(pid) - (before[at] as number)) / SAMPLE_MS) * 100).toFixed(0)} %`,
  ])
  const header = ['process', 'outgoing connections', 'memory', 'CPU']
  return markdownTable(header, rows)
}

const markdownTable = (header: string[], rows: (string | number)[][]) =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Requests of each kind for the CPU time of one. */
const REQUESTS = 2_000
const CONCURRENT = 32

/**
 * Returns a Markdown table of the CPU time of a request of each kind, in the web processes and in the primary database, less what they spend
 * without requests.
 */
export async function costTable(cluster: Cluster, outcomes: Outcomes, { viewing }: Customer, videoId: string): Promise<string> {
  const token = await viewing.issue(videoId)
  const paths = token && (await openPlayback(outcomes, token))
  if (!paths) throw new Error('the video cannot be played')
  const { headers } = viewing
  const kinds: Record<string, () => Promise<unknown>> = {
    'GET /v1/video/{id}': () => outcomes.ask('video', `/v1/video/${videoId}`, { headers }),
    'GET /v1/video?limit=20': () => outcomes.ask('list', '/v1/video?limit=20', { headers }),
    'POST …/playback-token': () => viewing.issue(videoId),
    'exchange of a token': () => outcomes.ask('exchange', paths.exchange),
    playlist: () => outcomes.ask('playlist', paths.media),
    'content key': () => outcomes.ask('key', paths.key),
    'segment in memory': () => outcomes.ask('segment', paths.segments[0] as string),
  }
  // What the processes do without requests, in milliseconds of CPU time a millisecond.
  const idle = await cpuDuring(cluster, () => wait(SAMPLE_MS))
  const rows: (string | number)[][] = []
  for (const [name, ask] of Object.entries(kinds)) {
    const round = async () => {
      let left = REQUESTS
      await repeatConcurrently(CONCURRENT, async () => {
        await ask()
        return --left > 0
      })
    }
    // Each process compiles what is hot.
    await round()
    const busy = await cpuDuring(cluster, round)
    const each = (part: 'web' | 'database') => {
      const background = (idle[part] / idle.ms) * busy.ms
      return `${Math.round(((busy[part] - background) * 1_000) / REQUESTS)} µs`
    }
    rows.push([name, each('web'), each('database')])
  }
  return markdownTable(['request', 'web process', 'database'], rows)
}

/** Returns the CPU time in milliseconds that the web processes and the primary database spend while `work` runs, and its duration. */
async function cpuDuring({ webs, parts }: Cluster, work: () => Promise<unknown>) {
  const postgres = parts.postgres?.primaryPid()
  const now = () => ({
    web: webs.reduce((sum, { pid }) => sum + cpuMs(pid), 0),
    database: postgres === undefined ? 0 : [postgres, ...childrenOf(postgres)].reduce((sum, pid) => sum + cpuMs(pid), 0),
    ms: performance.now(),
  })
  const before = now()
  await work()
  const after = now()
  return { web: after.web - before.web, database: after.database - before.database, ms: after.ms - before.ms }
}

const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)

/** Returns the CPU time of a process, and of its children that have ended. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').map(Number) ?? []
  return [11, 12, 13, 14].reduce((sum, at) => sum + (fields[at] ?? 0), 0) * TICK_MS
}

const memoryMb = (pid: number) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** State of an established connection in /proc/net/tcp. */
const ESTABLISHED = '01'

/** Returns the number of connections that a process has opened; `port` is its own. */
function connections(pid: number, port: number): number {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        // It was closed meanwhile.
        return []
      }
    }),
  )
  const lines = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8').trim().split('\n').slice(1))
  return lines.filter((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    return state === ESTABLISHED && inodes.has(inode) && Number.parseInt(local.split(':')[1] ?? '', 16) !== port
  }).length
}
