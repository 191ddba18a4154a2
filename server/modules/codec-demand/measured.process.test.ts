import { expect, it, vi } from 'vitest'
import { db, query } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { makeMediaFile } from '../../testing/media-files.ts'
import { provide } from '../../testing/settings.ts'
import { pendingVideo } from '../../testing/upload.ts'
import { transcodeVideo } from '../transcoding/run.ts'
import { beginByDemand } from './begin.ts'
import { judgeCodecs } from './judge.ts'
import { PRIORS } from './money.ts'
import { readTerms } from './terms.ts'
import { getVideoCodec } from './video-codec.ts'

vi.setConfig({ testTimeout: 300_000 })
await testDatabase()
// What is encoded is offered, and measured.
provide({ AV1: 'demand', STORAGE_RESERVE_BYTES: '0', TRANSCODE_THREADS: '1' })
const { signal } = new AbortController()

it('a watched video is encoded in AV1, and what that took predicts the next one', async () => {
  const owner = await makeAccount()
  const picture = 'mandelbrot=size=320x180:rate=10,trim=duration=8,gblur=sigma=1.5'
  const file = await makeMediaFile('demand.mp4', ['-f', 'lavfi', '-i', picture, '-c:v', 'mpeg4', '-q:v', '2', '-pix_fmt', 'yuv420p'])
  const videoId = await pendingVideo(owner, file)
  const transcode = async (id: string) => await transcodeVideo({ accountId: owner.accountId, videoId: id }, signal)
  await transcode(videoId)
  await query(
    'test-watch',
    `INSERT INTO view_day (video_id, account_id, day, plays, watch_ms)
     VALUES ($1, $2, (service_now() AT TIME ZONE 'UTC')::date, 100000, 800000000)`,
    [videoId, owner.accountId],
  )
  await judgeCodecs(signal)
  expect(await beginByDemand()).toBe(videoId)
  const { id } = await db().video.findFirstOrThrow({ where: { replaces: videoId } })
  await transcode(id)
  await judgeCodecs(signal)
  const [made] = await db().codecDecision.findMany()
  expect(made).toMatchObject({ videoId, endedAt: null, completedAt: expect.any(Date) })
  expect(Number(made?.bytes)).toBeLessThan(0.9 * Number(made?.h264Bytes))
  expect(made?.cpuSec).toBeGreaterThan(0)
  const { codec } = await readTerms('av1')
  const [ratio, cpu] = [Number(made?.bytes) / Number(made?.h264Bytes), (made?.cpuSec ?? 0) / (made?.megapixels ?? 1)]
  expect(codec.bytesRatio).toBeCloseTo((3 * PRIORS.av1.bytesRatio + ratio) / 4)
  expect(codec.cpuSecPerMegapixel).toBeCloseTo((3 * PRIORS.av1.cpuSecPerMegapixel + cpu) / 4)
  expect(await getVideoCodec(owner, { videoId })).toMatchObject({ state: 'stored' })
})
