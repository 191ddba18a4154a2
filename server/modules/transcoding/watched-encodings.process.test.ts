import { expect, it } from 'vitest'
import { db, query } from '../../platform/database/database.ts'
import { storage } from '../../platform/storage/storage.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { makeMediaFile } from '../../testing/media/media-files.ts'
import { transcodeVideo } from '../../testing/media/transcode-video.ts'
import { provide } from '../../testing/settings.ts'
import { pendingVideo } from '../../testing/upload.ts'
import { scrubOne, storedMedia } from '../media/scrub.ts'
import { segmentKey } from '../videos/media-keys.ts'
import type { QualitySearch } from './quality/rate-factor.ts'
import { repairMedia } from './repair.ts'
import { beginDue, getWatchedEncodings, noteWatched } from './watched-encodings.ts'

await testDatabase()
provide({ AV1_AFTER_HOURS: '', SLOWER_PRESET_AFTER_HOURS: '100', STORAGE_RESERVE_BYTES: '0', TRANSCODE_THREADS: '1' })
const { signal } = new AbortController()

it('a watched video is encoded with the slower preset to the quality that it had, and a repair encodes it so again', async () => {
  const owner = await makeAccount()
  // A picture that moves, in a loop: to compute more of it takes longer than to encode it.
  const picture = 'mandelbrot=size=320x180:rate=10,trim=duration=8,gblur=sigma=1,loop=loop=7:size=80,setpts=N/10/TB'
  const file = await makeMediaFile('preset.mp4', [
    '-f',
    'lavfi',
    '-i',
    picture,
    '-frames:v',
    '640',
    '-c:v',
    'mpeg4',
    '-q:v',
    '2',
    '-pix_fmt',
    'yuv420p',
  ])
  const videoId = await pendingVideo(owner, file)
  const transcode = async (id: string) => await transcodeVideo({ accountId: owner.accountId, videoId: id }, signal)
  const bytesOf = async () =>
    (await db().rendition.aggregate({ where: { media: { playing: { id: videoId } } }, _sum: { bytes: true } }))._sum.bytes ?? 0n
  await transcode(videoId)
  const playing = () => db().video.findUniqueOrThrow({ where: { id: videoId }, include: { media: true } })
  const first = await playing()
  expect(first).toMatchObject({ status: 'COMPLETED', media: { h264Preset: 'veryfast' } })
  // Of a picture that a machine made, the preset saves too little to be kept.
  await query('test-greater', 'UPDATE rendition SET bytes = bytes * 2 WHERE media_id = $1', [videoId])
  const before = await bytesOf()
  await query(
    'test-watch',
    `INSERT INTO view_day (video_id, account_id, day, plays, watch_ms)
     VALUES ($1, $2, (service_now() AT TIME ZONE 'UTC')::date, 100000, 6000000000)`,
    [videoId, owner.accountId],
  )
  await noteWatched()
  expect(await beginDue()).toBe(videoId)
  const { id } = await db().media.findFirstOrThrow({ where: { videoId, reencodes: true } })
  await transcode(videoId)

  const { media, ...video } = await playing()
  expect(video).toMatchObject({ status: 'COMPLETED', mediaId: id, completedAt: first.completedAt })
  expect(media?.h264Preset).toBe('medium')
  const after = await bytesOf()
  expect(Number(after)).toBeLessThan(0.95 * Number(before))
  expect((await getWatchedEncodings(owner, { videoId }))?.encodings.slower).toEqual({ afterHours: 100, state: 'stored' })
  await noteWatched()
  expect(await beginDue()).toBeUndefined()

  const search = media?.rateFactors as unknown as QualitySearch
  expect(search.asBefore).toEqual([])
  expect(search.found?.every(({ rateFactor }) => rateFactor >= 20)).toBe(true)

  const [rendition] = await db().rendition.findMany({ where: { mediaId: id } })
  const stretch = rendition?.segments as [string, number][] | undefined
  const name = stretch?.[1]?.[0]
  const key = segmentKey(id, name as string)
  await storage().put(key, Buffer.from('damaged'))
  await repairMedia(id, signal)
  const [stored] = await storedMedia({ videoId })
  expect(stored && (await scrubOne(stored, { signal })).faults).toEqual([])
  // The same bytes under the same names.
  expect((await db().rendition.findMany({ where: { mediaId: id } }))[0]?.segments).toEqual(rendition?.segments)
})
