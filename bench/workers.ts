import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sampleClipArguments } from '../server/modules/transcoding/sample-clip.ts'
import { closeDb, db } from '../server/platform/database.ts'
import { migrate } from '../server/platform/migrate.ts'
import { startEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { SERVICE_ROLE } from '../server/platform/postgres/roles.ts'
import { buildContainer } from '../server/services.ts'
import { makeAccount } from '../server/testing/make.ts'
import { makeMediaFile } from '../server/testing/media-files.ts'
import { pendingVideo } from '../server/testing/upload.ts'
import { startWorkerProcess } from '../server/testing/worker-process.ts'
import type { Row } from './report.ts'

const CLIP = { seconds: 300, width: 1280, height: 720, rate: 25 }
const WORKERS = [1, 2, 4] as const
/** Share of the ideal that two workers of one thread reach on two cores. */
const REACH = 1.85 / 2

interface Times {
  /** Seconds from the queueing to `playable_at` and to COMPLETED. */
  playable: number
  completed: number
}

/** Measures how worker processes of one thread each share one video of five minutes, and when it can be watched and is complete. */
export async function benchWorkers(): Promise<Row[]> {
  const postgres = await startEmbeddedPostgres({ dataDir: resolve('.cache/bench'), database: `bench_workers_${process.pid}` })
  const dataDir = await mkdtemp(join(tmpdir(), 'reelgate-bench-workers-'))
  buildContainer({
    DATABASE_URL: postgres.url,
    DATA_DIR: dataDir,
    BASE_URL: 'http://localhost',
    LOG_LEVEL: 'error',
    REELGATE_SECRET: 'bench'.repeat(8),
  })
  await migrate(postgres.ownerUrl, { service: SERVICE_ROLE })
  try {
    const clip = await makeMediaFile('bench-workers.mp4', sampleClipArguments(CLIP))
    const times = new Map<number, Times>()
    for (const count of WORKERS) times.set(count, await timesWith(count, clip))
    return rowsOf(times)
  } finally {
    await closeDb()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function timesWith(count: number, clip: string): Promise<Times> {
  const settings = { TRANSCODE_CONCURRENCY: '1', TRANSCODE_THREADS: '1' }
  const workers = await Promise.all(Array.from({ length: count }, () => startWorkerProcess('worker', settings)))
  try {
    const videoId = await pendingVideo(await makeAccount(), clip)
    for (;;) {
      const { createdAt, playableAt, completedAt, failureReason } = await db().video.findUniqueOrThrow({ where: { id: videoId } })
      if (failureReason) throw new Error(failureReason)
      const since = (at: Date | null) => (Number(at) - Number(createdAt)) / 1_000
      if (completedAt) return { playable: since(playableAt), completed: since(completedAt) }
      await wait(100)
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
}

function rowsOf(times: ReadonlyMap<number, Times>): Row[] {
  const of = (count: number) => times.get(count) as Times
  const name = `${CLIP.seconds / 60} min of ${CLIP.height}p`
  const faster = WORKERS.slice(1).map((count): Row => {
    const [rate, ceiling] = [of(1).completed / of(count).completed, count]
    // More processes than cores gain no more than the cores do.
    const bound = count === 2 ? REACH : 0
    return { work: `${name}, ${count} workers`, baseline: '1 worker', rate, ceiling, ratio: rate / ceiling, reach: bound, unit: '×' }
  })
  const absolute = WORKERS.flatMap((count) =>
    (['playable', 'completed'] as const).map((what): Row => {
      const [rate, ceiling] = [of(count)[what], CLIP.seconds]
      return {
        work: `${name}, ${count} workers, ${what}`,
        baseline: 'real time',
        rate,
        ceiling,
        ratio: rate / ceiling,
        reach: 0,
        unit: 's',
      }
    }),
  )
  return [...faster, ...absolute]
}
