import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { freePort } from '../../../server/platform/config/free-port.ts'
import type { DatabaseProxy } from '../../../server/testing/services/database-proxy.ts'
import type { PostgresPair } from '../../../server/testing/services/postgres-pair.ts'
import { type RunningProxy, startProxy } from '../../../server/testing/services/proxies.ts'
import type { Swift } from '../../../server/testing/services/swift.ts'
import { Member } from './members.ts'

/** What the processes depend on and faults act on. Absent parts are missing on this machine, or a short trial omits them. */
export interface Parts {
  postgres?: PostgresPair
  /** Makes the connection pooler connect to the present primary. */
  movePooler?: () => void
  swift?: Swift
  /** Proxies between the change listeners of the web processes and each database server. */
  listenerProxies?: DatabaseProxy[]
}

/** Two web processes behind HAProxy, two workers, and what they depend on. */
export interface Cluster {
  /** Address of the proxy. */
  base: string
  webs: [Member, Member]
  workers: [Member, Member]
  parts: Parts
  /** DATA_DIR of a worker that has its own small disk, if this user can mount one. */
  smallDisk?: string
}

/** Milliseconds after which HAProxy has noticed that a process is down: two checks, 2 s apart, and a response. */
export const NOTICED_MS = 5_000

const started: Member[] = []
const folders: string[] = []
const mounted: string[] = []
// Registered when the file is loaded: inside a test it would be too late.
afterAll(async () => {
  await Promise.all(started.map((member) => member.end()))
  for (const path of mounted) spawnSync('umount', ['-l', path])
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Returns a temporary folder that is removed with the test file. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `reelgate-${name}-`))
  folders.push(folder)
  return folder
}

/**
 * Starts the processes with these settings, each with its own DATA_DIR unless they share one (`dataDir`), and HAProxy with the sample from
 * `deploy/`, but without its request retries.
 */
export async function startCluster(settings: Record<string, string>, parts: Parts, dataDir?: string): Promise<Cluster> {
  const direct = parts.listenerProxies?.map(({ url }) => new URL(url).host).join()
  const listening = direct && { DATABASE_DIRECT_URL: `postgres://postgres@${direct}/postgres` }
  const make = async (name: string, role: 'web' | 'worker', folder = dataDir ?? temporaryFolder(name)) => {
    const member = new Member(name, role, await freePort(), folder, { ...settings, ...(role === 'web' && listening) })
    started.push(member)
    return member
  }
  const smallDisk = dataDir ? undefined : mountSmallDisk()
  const webs: Cluster['webs'] = [await make('web1', 'web'), await make('web2', 'web')]
  const workers: Cluster['workers'] = [await make('worker1', 'worker', smallDisk), await make('worker2', 'worker')]
  // The first start writes the id of the installation.
  await webs[0].start()
  await Promise.all([webs[1], ...workers].map((member) => member.start()))
  const hosts = webs.map(({ url }) => new URL(url).host) as [string, string]
  const proxy: RunningProxy = await startProxy('haproxy', hosts, { repeats: false })
  return { base: proxy.url, webs, workers, parts, smallDisk }
}

/** Mounts a disk of 200 MB; returns its folder, or prints a line and returns undefined if this user cannot mount. */
function mountSmallDisk(): string | undefined {
  const path = temporaryFolder('small-disk')
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=200m', 'tmpfs', path])
  if (status === 0) {
    mounted.push(path)
    return path
  }
  process.stderr.write('This user cannot mount a small disk: a full disk is not tried.\n')
  return undefined
}
