import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { sampleClipArguments } from '../server/modules/transcoding/quality/sample-clip.ts'
import { removeVideo } from '../server/modules/videos/remove.ts'
import { env } from '../server/platform/config/config.ts'
import { closeDb, db } from '../server/platform/database/database.ts'
import { buildContainer } from '../server/services.ts'
import { makeMediaFile } from '../server/testing/media/media-files.ts'
import { startWorkerProcess } from '../server/testing/services/worker-process.ts'
import { pendingVideo } from '../server/testing/upload.ts'
import { startChild } from './child.ts'
import { withDatabase } from './database.ts'
import { keyed, median } from './load.ts'
import { startPacedClient } from './paced.ts'
import type { Row } from './report.ts'
import { seedAccount } from './seed.ts'

/** Seconds of one measurement. */
const SECONDS = 15
const ROUNDS = 5
/** Milliseconds within which 99 of 100 requests get a response while a worker on the same machine encodes, on 2 cores. */
const MOST_MS = 20
const PER_SEC = 100
const CLIP = { seconds: 8, width: 1920, height: 1080, rate: 30 }
/** How often the clip is repeated in the video whose encoding lasts for a measurement. */
const REPEATED = 20

/** Measures how long requests take while a worker on the same machine encodes. */
export const benchDuringEncoding = () =>
  withDatabase(async (settings) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'reelgate-bench-encoding-'))
    const given = { ...settings, DATA_DIR: dataDir }
    await closeDb()
    buildContainer(given)
    const { ctx, key, videoId } = await seedAccount(1)
    const clip = await makeMediaFile('bench-encoding.mp4', sampleClipArguments(CLIP))
    const long = await makeMediaFile('bench-encoding-long.mp4', ['-stream_loop', String(REPEATED - 1), '-i', clip, '-c', 'copy'])
    // As an operator runs it. Elsewhere, one core is for the server, and the other for its load.
    const server = await startChild('reelgate', { env: given }, { everyCore: true })
    const worker = await startWorkerProcess('worker')
    const client = startPacedClient()
    const requests = { ...keyed(server.url, `/v1/video/${videoId}`, key), perSec: PER_SEC, seconds: SECONDS }
    try {
      await client.p99(requests)
      const encoding = await startEncoding(ctx, long)
      const found: number[] = []
      for (let round = 0; round < ROUNDS; round++) found.push(await client.p99(requests))
      await encoding.stop()
      const rate = median(found)
      const work = `p99 of GET video during an encode, ${PER_SEC}/s`
      const row: Row = { work, baseline: 'bound', rate, ceiling: MOST_MS, ratio: rate / MOST_MS, reach: 1, below: true, unit: 'ms' }
      return [row]
    } finally {
      client.stop()
      await worker.kill()
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    }
  })

/**
 * Queues a video and waits until one of its chunks is encoded. `stop` throws if the video ended earlier, because nothing was measured then.
 */
async function startEncoding(ctx: Parameters<typeof pendingVideo>[0], path: string): Promise<{ stop(): Promise<void> }> {
  const videoId = await pendingVideo(ctx, path)
  const isEncoding = async () =>
    (await db().transcodeTask.count({ where: { mediaId: videoId, kind: 'video', progress: { gt: 0, lt: 1 } } })) > 0
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
