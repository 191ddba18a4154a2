import { mkdir, mkdtemp, readdir, realpath, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '../config/config.ts'
import { settled, stopServer } from '../postgres/server.ts'

const drills = () => join(env().DATA_DIR, 'drill')

/** How often a running drill marks its folder, by the modification time. */
const MARK_MS = 5_000
/** A folder not marked for this long belongs to a killed drill. */
const UNUSED_MS = 60_000

/** Calls `work` with an empty folder in DATA_DIR, and removes it afterwards, along with what killed drills left. */
export async function withThrowAwayFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  await mkdir(drills(), { recursive: true, mode: 0o700 })
  await sweep()
  const folder = await mkdtemp(join(drills(), 'restored-'))
  const marking = setInterval(() => void utimes(folder, new Date(), new Date()).catch(() => {}), MARK_MS).unref()
  try {
    return await work(folder)
  } finally {
    clearInterval(marking)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A killed drill leaves its database running. Drills of other processes, such as an operator's command, may be running. */
async function sweep(): Promise<void> {
  for (const name of await readdir(drills())) {
    const folder = join(drills(), name)
    const found = await stat(folder).catch(() => undefined)
    if (!found || Date.now() - found.mtimeMs < UNUSED_MS) continue
    const cluster = { dir: join(await realpath(folder), 'postgres') }
    const running = await settled(cluster)
    if (running) await stopServer(cluster, running.pid)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
