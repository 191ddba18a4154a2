import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount } from '../../../testing/make.ts'
import { makeMediaFile } from '../../../testing/media/media-files.ts'
import { leaseOf, transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { masterPlaylistUrl } from '../../delivery/sessions/media-permit.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { runTask } from '../tasks/run.ts'

await testDatabase()
const { signal } = new AbortController()
const SECONDS = 24
/** Large blocks, twice a second others: their edges need as many bytes in 240 lines as in 360. */
const blocks = () => {
  const random = `nullsrc=size=64x36:rate=2:duration=${SECONDS},geq=lum='random(1)*255':cb=128:cr=128`
  const enlarged = 'scale=640:360:flags=neighbor,fps=10'
  return makeMediaFile('blocks.mp4', ['-f', 'lavfi', '-i', `${random},${enlarged}`, '-c:v', 'mpeg4', '-q:v', '2', '-g', '20'])
}
let ctx: AccountCtx

beforeAll(async () => {
  await startHttpServer()
  ctx = await makeAccount()
})

const linesOf = (playlist: string) => playlist.split('\n').filter((line) => line && !line.startsWith('#'))
const read = async (url: string) => {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  return response.text()
}
/** Returns the paths of the segments in a playlist, without their signatures. */
const segmentsIn = async (url: string) => linesOf(await read(url)).map((line) => new URL(line, url).pathname)

it('a rendition that saves nothing is left out, and a session that plays it goes on with the next higher one', async () => {
  const videoId = await pendingVideo(ctx, await blocks())
  const which = { accountId: ctx.accountId, videoId }
  const first = await leaseOf(which)
  if (!first) throw new Error('no task is due')
  await runTask(first, signal)
  const master = masterPlaylistUrl(videoId, SECONDS).url
  const [high, low] = linesOf(await read(master)).map((line) => new URL(line, master).href) as [string, string]
  const before = { high: await segmentsIn(high), low: await segmentsIn(low) }
  expect(before.low).toHaveLength(before.high.length)
  expect(before.low).not.toEqual(before.high)

  await transcodeVideo(which, signal)
  const video = await db().media.findUniqueOrThrow({ where: { id: videoId }, include: { renditions: true, iframes: true } })
  const log = await db().videoLog.findMany({ where: { videoId } })
  expect([video.status, video.qualities, video.renditions.map(({ quality }) => quality)]).toEqual(['COMPLETED', ['360p'], ['360p']])
  expect(video.iframes.map(({ quality }) => quality)).toEqual(['360p'])
  expect(log.map(({ message }) => message)).toContain('Left out 240p: it needs nearly as many bytes as 360p.')
  expect(linesOf(await read(master)).map((line) => new URL(line, master).pathname)).toEqual([new URL(high).pathname])

  // The segments that were listed before are there, and the list goes on at the same place.
  for (const path of before.low) expect(await storage().stat(segmentKey(videoId, /[0-9a-f]{32}/.exec(path)?.[0] ?? ''))).toBeDefined()
  const after = { high: await segmentsIn(high), low: await segmentsIn(low) }
  expect(after.high.slice(0, before.high.length)).toEqual(before.high)
  expect(after.low).toEqual(after.high)
  const other = low.replace('240p', 'nonsense')
  expect((await fetch(other)).status).toBe(404)
})
