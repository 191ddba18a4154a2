import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { TranscodePlan } from '../server/modules/transcoding/plan/plan.ts'
import { planOf } from '../server/modules/transcoding/plan/plan-video.ts'
import { sampleClipArguments } from '../server/modules/transcoding/quality/sample-clip.ts'
import { closeDb, db } from '../server/platform/database/database.ts'
import { migrate } from '../server/platform/database/migrate.ts'
import { startEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { SERVICE_ROLE } from '../server/platform/postgres/roles.ts'
import { buildContainer } from '../server/services.ts'
import { makeAccount } from '../server/testing/make.ts'
import { makeMediaFile } from '../server/testing/media/media-files.ts'
import { startWorkerProcess } from '../server/testing/services/worker-process.ts'
import { pendingVideo } from '../server/testing/upload.ts'
import { cpuSeconds, pinToCore } from './cpu.ts'
import { isWanted } from './only.ts'
import type { Row } from './report.ts'
import { boundOf, type Fleet, simulateFleet } from './simulate-fleet.ts'
import { encodeOnCore } from './single-pass.ts'
import { readTaskTimes, type TaskTime, workOf } from './task-times.ts'

/** BENCH_WORKERS_SEC shortens the clip for a trial; figures of short ones are those of plan and last step. */
const CLIP = { seconds: Number(process.env.BENCH_WORKERS_SEC ?? 300), width: 1280, height: 720, rate: 25 }
const WORKERS = [1, 2, 4] as const
/** Share that two workers of one core each reach of what the machine's cores gain. */
const REACH = 1.85 / 2
/** Seconds of the clip with which the cores are measured. */
const CORES_SEC = 30

interface Run {
  /** Seconds from the queueing to `playable_at` and to COMPLETED. */
  playable: number
  completed: number
  /** CPU seconds of each worker, its ffmpeg included. */
  cpu: number[]
  tasks: TaskTime[]
}

/** Measures how worker processes share one video, and when it can be watched and is complete; computes what more of them would reach. */
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
    const plan = await planOf(clip, '1080p', new AbortController().signal)
    const runs = new Map<number, Run>()
    for (const count of WORKERS) if (isWanted(`${count} workers`)) runs.set(count, await runWith(count, clip))
    if (runs.size < WORKERS.length) return absoluteRows(runs)
    const quick = { ...CLIP, seconds: CLIP.seconds / 5 }
    const { tasks } = await runWith(1, await makeMediaFile('bench-workers-short.mp4', sampleClipArguments(quick)))
    const long = { durationSec: CLIP.seconds, tasks: (runs.get(1) as Run).tasks }
    return [
      ...rowsOf(runs, await gainOfCores(plan, dataDir)),
      ...simulatedRows(plan, { short: { durationSec: quick.seconds, tasks }, long }),
    ]
  } finally {
    await closeDb()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function runWith(count: number, clip: string): Promise<Run> {
  const settings = { TRANSCODE_CONCURRENCY: '1', TRANSCODE_THREADS: '1' }
  const workers = await Promise.all(Array.from({ length: count }, () => startWorkerProcess('worker', settings)))
  const pinned = workers.every(({ pid }, at) => pinToCore(pid, at))
  const how = pinned ? 'each has one core (taskset), and shares it with others beyond the cores of this machine' : 'not pinned to a core'
  process.stderr.write(`${count} workers: ${how}\n`)
  try {
    const videoId = await pendingVideo(await makeAccount(), clip)
    const tasks = new Map<string, TaskTime>()
    for (;;) {
      for (const task of await readTaskTimes(videoId)) tasks.set(`${task.kind} ${task.position}`, task)
      const { createdAt, playableAt, completedAt, media } = await db().video.findUniqueOrThrow({
        where: { id: videoId },
        include: { media: true },
      })
      if (media?.failureReason) throw new Error(media.failureReason)
      const since = (at: Date | null) => (Number(at) - Number(createdAt)) / 1_000
      if (completedAt) {
        // The last step ends with the deletion of its row.
        const finish = tasks.get('finish 0')
        if (finish) finish.to = Number(completedAt) / 1_000
        const cpu = workers.map(({ pid }) => cpuSeconds(pid))
        return { playable: since(playableAt), completed: since(completedAt), cpu, tasks: [...tasks.values()] }
      }
      await wait(100)
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
}

/**
 * Returns how much faster two encodes of ffmpeg end at once, on a core each, than one after another: cores share memory and caches, and virtual
 * ones can share a core. 2 where there are fewer cores, or no `taskset`.
 */
async function gainOfCores(plan: TranscodePlan, dataDir: string): Promise<number> {
  if (availableParallelism() < 2 || spawnSync('taskset', ['-c', '0', 'true']).status !== 0) return 2
  const source = await makeMediaFile('bench-workers-cores.mp4', sampleClipArguments({ ...CLIP, seconds: CORES_SEC }))
  const encode = async (core: number) => encodeOnCore({ source, plan, folder: await mkdtemp(join(dataDir, 'core-')) }, core)
  const alone = (await encode(0)) + (await encode(1))
  return alone / Math.max(...(await Promise.all([encode(0), encode(1)])))
}

const informational = (work: string, baseline: string, rate: number, ceiling: number, unit: string): Row => ({
  ...{ work, baseline, rate, ceiling, ratio: rate / ceiling, reach: 0, unit },
})
const minutes = (seconds: number) => (seconds < 3_600 ? `${Number((seconds / 60).toFixed(1))} min` : `${seconds / 3_600} h`)

const CLIP_NAME = `${minutes(CLIP.seconds)} of ${CLIP.height}p`

/** Returns the times of each run alone, and of each of its tasks. */
function absoluteRows(runs: ReadonlyMap<number, Run>): Row[] {
  return [...runs].flatMap(([count, { cpu, tasks, ...times }]) => [
    ...(['playable', 'completed'] as const).map((what) =>
      informational(`${CLIP_NAME}, ${count} workers, ${what}`, 'real time', times[what], CLIP.seconds, 's'),
    ),
    ...cpu.map((seconds, at) =>
      informational(`${CLIP_NAME}, ${count} workers, CPU of worker ${at + 1}`, 'its wall clock', seconds, times.completed, 's'),
    ),
    ...taskRows(count, tasks, times.completed),
  ])
}

function taskRows(count: number, tasks: readonly TaskTime[], completedSec: number): Row[] {
  const first = Math.min(...tasks.map(({ from }) => from))
  const workers = [...new Set(tasks.map(({ worker }) => worker))]
  return tasks
    .toSorted((a, b) => a.from - b.from)
    .map(({ kind, position, worker, from, to }) => {
      const work = `${count} workers, ${workers.indexOf(worker) + 1}: ${kind} ${position}, from ${(from - first).toFixed(1)} s`
      return informational(work, 'all of it', to - from, completedSec, 's')
    })
}

function rowsOf(runs: ReadonlyMap<number, Run>, gain: number): Row[] {
  const of = (count: number) => runs.get(count) as Run
  const faster = WORKERS.slice(1).map((count): Row => {
    const gained = of(1).completed / of(count).completed
    // More processes than cores gain no more than the cores do.
    if (count > 2 || availableParallelism() < 2) return informational(`${CLIP_NAME}, ${count} workers`, '1 worker', gained, count, '×')
    const work = `${CLIP_NAME}, 2 workers, to 1 worker`
    return { ...informational(work, 'two encodes of ffmpeg, a core each, to one', gained, gain, '×'), reach: REACH }
  })
  return [...faster, ...absoluteRows(runs)]
}

/** Assumed, not measured: a network of 1 Gbit/s for each worker and of 10 Gbit/s for the bucket. */
const NETWORK = { workerBytesPerSec: 110e6, bucketBytesPerSec: 1_100e6 }
/** Measured: lease and result of a task, with a database on the same machine. */
const LEASE_SEC = 0.05
/** Bytes of a second of a camera's file, at 8 Mbit/s. */
const SOURCE_BYTES_PER_SEC = 1e6

/** Computes from the measured times of one worker what fleets reach. */
function simulatedRows(plan: TranscodePlan, measured: Parameters<typeof workOf>[1]): Row[] {
  const fleet = (workers: number): Fleet => ({ workers, ...NETWORK, leaseSec: LEASE_SEC })
  return [CLIP.seconds, 300, 3_600, 7_200].flatMap((durationSec, at) => {
    const ownClip = at === 0
    const work = workOf(plan, measured, { durationSec, sourceBytes: ownClip ? 0 : durationSec * SOURCE_BYTES_PER_SEC })
    const one = simulateFleet(work, fleet(1)).completedSec
    return (ownClip ? [2] : [2, 10, 100]).map((workers) => {
      const { completedSec, playableSec } = simulateFleet(work, fleet(workers))
      const where = ownClip ? 'from the disk' : 'from a bucket'
      const name = `simulated: ${minutes(durationSec)} ${where}, ${workers} workers, playable after ${playableSec.toFixed(1)} s, complete after ${completedSec.toFixed(0)} s`
      return informational(name, `1 worker; bound by ${boundOf(work, fleet(workers))}`, one / completedSec, workers, '×')
    })
  })
}
