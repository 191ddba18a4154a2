import { mkdtemp, readdir, rm } from 'node:fs/promises'
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
import { startPacedClient } from './paced.ts'
import type { Row } from './report.ts'
import { seedAccount } from './seed.ts'

/** Seconds of one measurement. */
const SECONDS = 15
const ROUNDS = 5
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
    // As an operator runs it. Elsewhere one core is for the server, and the other for its load.
    const server = await startChild('reelgate', { env: given }, { everyCore: true })
    const worker = await startWorkerProcess('worker')
    const client = startPacedClient()
    const targets: Measured[] = [
      { work: 'GET video', target: keyed(server.url, `/v1/video/${videoId}`, key), perSec: 100 },
      { work: 'a segment', target: { url: `${server.url}/cdn/segments/${short}/${name}.ts` }, perSec: 20 },
    ]
    try {
      const found = targets.map(() => ({ idle: [] as number[], busy: [] as number[] }))
      const p99Of = ({ target, perSec }: Measured) => client.p99({ ...target, perSec, seconds: SECONDS })
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
      client.stop()
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
