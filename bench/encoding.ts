import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { transcodeVideo } from '../server/modules/transcoding/run.ts'
import { sampleClipArguments } from '../server/modules/transcoding/sample-clip.ts'
import { removeVideo } from '../server/modules/videos/remove.ts'
import { env } from '../server/platform/config.ts'
import { closeDb, db } from '../server/platform/database.ts'
import { buildContainer } from '../server/services.ts'
import { makeMediaFile } from '../server/testing/media-files.ts'
import { pendingVideo } from '../server/testing/upload.ts'
import { startWorkerProcess } from '../server/testing/worker-process.ts'
import { startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { keyed, median, type Target } from './load.ts'
import type { Row } from './report.ts'
import { seedAccount } from './seed.ts'

/** Seconds of one measurement. */
const SECONDS = 15
const ROUNDS = 3
/** Times the idle p99 that a request may take while a worker of the same machine encodes. */
const MOST = 2
const CLIP = { seconds: 8, width: 1920, height: 1080, rate: 30 }
/** Times that the clip is repeated in the video whose encoding lasts for a measurement. */
const REPEATED = 20

/** Requests that are measured. */
interface Measured {
  work: string
  target: Target
  perSec: number
  /** Whether their client gets a core as soon as it needs one (`asFirst`). */
  first: boolean
}

/** Measures how long requests take while a worker on the same machine encodes, compared with an idle one. */
export const benchDuringEncoding = () =>
  withDatabase(async (settings) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'reelgate-bench-encoding-'))
    const given = { ...settings, DATA_DIR: dataDir }
    await closeDb()
    buildContainer(given)
    const { ctx, key, videoId } = await seedAccount(1)
    const clip = await makeMediaFile('bench-encoding.mp4', sampleClipArguments(CLIP))
    const short = await pendingVideo(ctx, clip)
    await transcodeVideo({ accountId: ctx.accountId, videoId: short }, new AbortController().signal)
    const { segments } = await db().rendition.findFirstOrThrow({ where: { videoId: short, quality: '720p' } })
    const [name] = (segments as [string, number][])[0] ?? []
    const long = await makeMediaFile('bench-encoding-long.mp4', ['-stream_loop', String(REPEATED - 1), '-i', clip, '-c', 'copy'])
    const server = await startChild('reelgate', { env: given })
    const worker = await startWorkerProcess('worker')
    const targets: Measured[] = [
      { work: 'GET video', target: keyed(server.url, `/v1/video/${videoId}`, key), perSec: 100, first: true },
      // 1 ms more or less matters little here, and the garbage collector of a real-time client that reads so much takes 30 ms.
      { work: 'a segment', target: { url: `${server.url}/cdn/segments/${short}/${name}.ts` }, perSec: 20, first: false },
    ]
    try {
      const found = targets.map(() => ({ idle: [] as number[], busy: [] as number[] }))
      for (const target of targets) await p99Of(target)
      for (let round = 0; round < ROUNDS; round++) {
        for (const [at, target] of targets.entries()) found[at]?.idle.push(await p99Of(target))
        const encoding = await startEncoding(ctx, long)
        for (const [at, target] of targets.entries()) found[at]?.busy.push(await p99Of(target))
        await encoding.stop()
      }
      return targets.map(({ work, perSec }, at): Row => {
        const { idle, busy } = found[at] as { idle: number[]; busy: number[] }
        const [rate, ceiling] = [median(busy), median(idle)]
        const ratio = rate / ceiling
        return {
          work: `p99 of ${work} during an encode, ${perSec}/s`,
          baseline: 'idle',
          rate,
          ceiling,
          ratio,
          reach: MOST,
          below: true,
          unit: 'ms',
        }
      })
    } finally {
      await worker.kill()
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    }
  })

/** Queues a video and waits until a chunk of it is encoded. `stop` throws when the video ended before: nothing was measured then. */
async function startEncoding(ctx: Parameters<typeof pendingVideo>[0], path: string): Promise<{ stop(): Promise<void> }> {
  const videoId = await pendingVideo(ctx, path)
  const isEncoding = async () => (await db().transcodeTask.count({ where: { videoId, kind: 'video', progress: { gt: 0, lt: 1 } } })) > 0
  while (!(await isEncoding())) await wait(100)
  return {
    async stop() {
      const { status } = await db().video.findUniqueOrThrow({ where: { id: videoId } })
      if (status !== 'PROCESSING') throw new Error('The video ended before the measurement did: it must be longer.')
      await removeVideo(ctx, { videoId })
      // The worker notices that its lease is lost, ends ffmpeg and removes its folder.
      while ((await readdir(join(env().DATA_DIR, 'work'))).length > 0) await wait(100)
    },
  }
}

const p99Of = ({ target, perSec, first }: Measured): Promise<number> =>
  first ? asFirst(() => sentAtRate(target, perSec)) : sentAtRate(target, perSec)

/** Sends requests at fixed times, whenever the others end. Returns the milliseconds within which 99 of 100 are answered whole. */
async function sentAtRate({ url, headers }: Target, perSec: number): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  const began = performance.now()
  const request = (sentAt: number) =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`${url.slice(0, 80)} returned ${response.statusCode}`))
        response.resume().on('end', () => {
          times.push(performance.now() - sentAt)
          resolve()
        })
      }).on('error', reject)
    })
  const all: Promise<void>[] = []
  for (let at = 0; at < SECONDS * perSec; at++) {
    const dueAt = began + (at * 1_000) / perSec
    const early = dueAt - performance.now()
    if (early > 0) await wait(early)
    // From here on, as timers of this process are early by up to 1 ms, or late.
    all.push(request(performance.now()))
  }
  await Promise.all(all)
  agent.destroy()
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] as number
}

/**
 * Runs `work` with this thread in the real-time class: clients of a service are on other machines, so the time in which this one waits for a
 * core is none of the service. Without root the thread stays in its class, which a line on standard error says.
 */
async function asFirst<Result>(work: () => Promise<Result>): Promise<Result> {
  const setClass = (policy: '--rr' | '--other', priority: string) =>
    spawnSync('chrt', ['--reset-on-fork', policy, '--pid', priority, String(process.pid)]).status === 0
  if (!setClass('--rr', '1')) process.stderr.write('Without root, figures contain the time in which the client waits for a core.\n')
  try {
    return await work()
  } finally {
    setClass('--other', '0')
  }
}
