import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeAccount } from '../server/testing/make.ts'
import { hasSwift, startSwift } from '../server/testing/services/swift.ts'
import { cookieFor } from '../server/testing/sign-in.ts'
import { likeVideo, tusClient } from '../server/testing/tus-client.ts'
import { type Child, startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { interleaved } from './load.ts'
import type { Row } from './report.ts'

const MB = 1024 ** 2
/** Bytes of one request of the dashboard. */
const REQUEST = 8 * MB
const FILE = likeVideo(256 * MB)
const ROUNDS = 3

/** Measures what a process spends on an upload to an object store, compared with one to its disk. Nothing where there is no Swift. */
export const benchUploads = async (): Promise<Row[]> => (hasSwift() ? withDatabase(compare) : [])

async function compare(env: Record<string, string>): Promise<Row[]> {
  const swift = await startSwift()
  Object.assign(process.env, swift.credentials)
  const [diskFolder, storeFolder] = [await mkdtemp(join(tmpdir(), 'reelgate-bench-')), await mkdtemp(join(tmpdir(), 'reelgate-bench-'))]
  const own = { ...env, STORAGE_RESERVE_BYTES: '0', ACCOUNT_STORAGE_BYTES: '2e12' }
  const disk = await startChild('reelgate', { env: { ...own, DATA_DIR: diskFolder } })
  const store = await startChild('reelgate', { env: { ...own, DATA_DIR: storeFolder, STORAGE_URL: await swift.makeBucket() } })
  try {
    const client = tusClient(await cookieFor(await makeAccount()))
    const { a, b, ratio } = await interleaved(
      ROUNDS,
      () => secondsPerGb(store, client),
      () => secondsPerGb(disk, client),
    )
    const unit = 'CPU s/GB'
    return [{ work: 'upload to the object store', baseline: 'to disk', rate: a, ceiling: b, ratio, reach: 3, below: true, unit }]
  } finally {
    await Promise.all([disk.stop(), store.stop(), swift.stop()])
    await Promise.all([diskFolder, storeFolder].map((folder) => rm(folder, { recursive: true, force: true })))
  }
}

/** Returns the CPU seconds that the server spends on each gigabyte of an upload, in requests as the dashboard sends them. */
async function secondsPerGb(server: Child, client: ReturnType<typeof tusClient>): Promise<number> {
  const before = await cpuSeconds(server)
  const path = (await client.create(server.url, FILE.length)).headers.get('location') ?? ''
  for (let offset = 0; offset < FILE.length; ) {
    const sent = await client.send(server.url, path, FILE.subarray(0, offset + REQUEST), offset).answer
    if (sent?.status !== 204) throw new Error(`The upload was refused: ${sent?.status} ${sent?.text}`)
    offset = sent.offset
  }
  return ((await cpuSeconds(server)) - before) / (FILE.length / 1e9)
}

async function cpuSeconds(server: Child): Promise<number> {
  const { cpu } = await server.ask<{ cpu: NodeJS.CpuUsage }>('cpu')
  return (cpu.user + cpu.system) / 1e6
}
