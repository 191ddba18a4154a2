import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from '../config/config.ts'
import { settled, stopServer } from '../postgres/server.ts'

const drills = () => join(env().DATA_DIR, 'drill')

/** Calls `work` with an empty folder in DATA_DIR, and removes it afterwards, along with what killed drills left. */
export async function withThrowAwayFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  await mkdir(drills(), { recursive: true, mode: 0o700 })
  await sweep()
  const folder = await mkdtemp(join(drills(), 'restored-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A killed drill leaves its database running. */
async function sweep(): Promise<void> {
  for (const name of await readdir(drills())) {
    const folder = join(drills(), name)
    const cluster = { dir: join(await realpath(folder), 'postgres') }
    const running = await settled(cluster)
    if (running) await stopServer(cluster, running.pid)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
