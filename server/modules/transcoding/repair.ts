import { db, query } from '../../platform/database.ts'
import { log } from '../../platform/log.ts'
import { storage } from '../../platform/storage/storage.ts'
import { appendVideoLog } from '../videos/append-log.ts'
import { enqueueCdnPurge } from '../videos/cdn-purge.ts'
import { type MediaFault, recordFault } from '../videos/media-faults.ts'
import { extraPrefix, picturePrefix, segmentKey } from '../videos/media-keys.ts'
import { openContentKey } from './content-key.ts'
import { encode } from './encode.ts'
import { ladder } from './ladder.ts'
import { makePictures, pictureRenditions, type StoredPictures } from './pictures.ts'
import { probe } from './probe.ts'
import { scrubVideo, storedVideos } from './scrub.ts'
import { segmentStore } from './segment-store.ts'
import { SpaceGuard } from './space.ts'
import type { StoredRendition } from './store.ts'
import { makeWorkFolder, removeWorkFolder } from './work-folder.ts'

/** Seconds until another worker may repair the video of a worker that does not renew its lease. */
const LEASE_SEC = 60
const RENEW_MS = 20_000

/** A video that no repair can restore; the message is for the operator. */
class IrreparableError extends Error {
  override name = 'IrreparableError'
}

/** Repairs videos with faults until none is due. Any number of workers may run it. Runs as the job `media.repair`. */
export async function repairDue(signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const [leased] = await query<{ videoId: string }>('lease-media-repair', LEASE, [LEASE_SEC])
    if (!leased) return
    const { videoId } = leased
    const timer = setInterval(() => {
      query('renew-media-repair', RENEW, [videoId, LEASE_SEC]).catch((error: Error) =>
        log().debug({ err: error.message, videoId }, 'the lease of a repair could not be renewed'),
      )
    }, RENEW_MS)
    try {
      await repairVideo(videoId, signal)
    } catch (error) {
      if (signal.aborted) {
        await query('return-media-repair', RETURN, [videoId])
        throw error
      }
      log().error({ err: error, videoId }, 'the media of a video could not be repaired')
      const isLast = error instanceof IrreparableError
      await query('fail-media-repair', FAIL, [videoId, (error as Error).message.slice(0, 500), isLast])
    } finally {
      clearInterval(timer)
    }
  }
}

const LEASE = `
  WITH next AS (SELECT video_id FROM media_fault WHERE due_at <= service_clock() ORDER BY due_at LIMIT 1),
  leased AS (
    UPDATE media_fault SET due_at = service_clock() + make_interval(secs => $1), attempts = attempts + 1
    WHERE video_id IN (SELECT video_id FROM next) AND due_at <= service_clock() RETURNING video_id)
  SELECT DISTINCT video_id AS "videoId" FROM leased`
const RENEW = 'UPDATE media_fault SET due_at = service_clock() + make_interval(secs => $2) WHERE video_id = $1 AND due_at IS NOT NULL'
const RETURN = 'UPDATE media_fault SET due_at = service_clock(), attempts = attempts - 1 WHERE video_id = $1 AND due_at IS NOT NULL'
const FAIL = `
  UPDATE media_fault SET failure = $2, due_at = CASE WHEN NOT $3::boolean
    THEN service_clock() + make_interval(secs => least(86400, 300 * 2 ^ least(attempts, 9))) END
  WHERE video_id = $1`

/**
 * Restores the damaged objects of a video by encoding its original again with the video's content key. The same ffmpeg with the same threads
 * yields the same bytes, which replace the damaged objects under their names. Where it yields others, the rendition's list is replaced in one
 * transaction, and the objects of the previous list stay for viewers who hold it. Throws when damage remains.
 */
export async function repairVideo(videoId: string, signal: AbortSignal): Promise<void> {
  const [stored] = await storedVideos({ videoId })
  const faults = stored ? (await scrubVideo(stored, { signal })).faults : []
  if (!stored || faults.length === 0) return void (await db().mediaFault.deleteMany({ where: { videoId } }))
  for (const fault of faults) await recordFault(fault, { repair: true })
  // Those that were not known are due at once, which they must not be for another worker.
  await query('renew-media-repair', RENEW, [videoId, LEASE_SEC])
  refuseIrreparable(videoId, stored.sourceKey, faults)
  const owners = faults.filter(({ key }) => key.startsWith(extraPrefix(videoId)))
  if (owners.length < faults.length) await encodeAgain(videoId, faults, signal)

  const [after] = await storedVideos({ videoId })
  const left = after ? (await scrubVideo(after, { signal })).faults : []
  const keys = left.map(({ key }) => key)
  await db().mediaFault.deleteMany({ where: { videoId, key: { notIn: keys } } })
  if (owners.length > 0)
    throw new IrreparableError('Captions or a poster are damaged. Their owner must upload them again: they are not in the original.')
  if (left.length > 0) throw new Error(`${left.length} objects are still damaged after the repair.`)
}

function refuseIrreparable(videoId: string, sourceKey: string, faults: readonly MediaFault[]): void {
  const source = faults.find(({ key }) => key === sourceKey)
  if (!source) return
  const state = source.kind === 'missing' ? 'is missing' : 'is damaged'
  throw new IrreparableError(`The original of ${videoId} ${state}, so nothing can be encoded again. Restore it from a backup.`)
}

async function encodeAgain(videoId: string, faults: readonly MediaFault[], signal: AbortSignal): Promise<void> {
  const video = await db().video.findUniqueOrThrow({ where: { id: videoId }, include: { renditions: true } })
  if (video.deletedAt) throw new IrreparableError('The video was deleted.')
  const damaged = new Set(faults.map(({ key }) => key))
  const namesOf = (segments: unknown) => (segments as [string, number][]).map(([name]) => name)
  const affected = new Set(
    video.renditions
      .filter(({ segments }) => namesOf(segments).some((name) => damaged.has(segmentKey(videoId, name))))
      .map(({ quality }) => quality),
  )
  const needsPictures = faults.some(({ key }) => key.startsWith(picturePrefix(videoId)))
  const space = new SpaceGuard()
  const running = AbortSignal.any([signal, space.signal])
  const source = await storage().localFile(video.sourceKey, running)
  let work: string | undefined
  try {
    work = await makeWorkFolder({ videoId, retries: video.retries, attempt: 0 })
    const facts = await probe(source.path, running)
    const frameRate = facts.frameRate.value
    const renditions = ladder({ ...facts, frameRate }, video.targetQuality)
    const contentKey = video.encrypted && video.contentKey ? openContentKey(video.contentKey, videoId) : undefined
    const written = new Set<string>()
    const keep = needsPictures ? pictureRenditions(renditions) : new Set<string>()
    const store = segmentStore({ videoId, contentKey, written, keep, only: affected, signal: running })
    const passing = AbortSignal.any([running, store.failed])
    const input = { source: source.path, folder: work, facts, renditions, signal: passing, onProgress: () => {}, onSegment: store.add }
    const encoded = await encode(input).finally(() => store.settle())
    const pictures = needsPictures ? await makePictures({ videoId, folder: work, encoded, written, signal: running }) : undefined
    const made = (await store.finish(encoded, frameRate)).filter(({ quality }) => affected.has(quality))
    const changed = made.filter((rendition) => {
      const before = video.renditions.find(({ quality }) => quality === rendition.quality)
      return namesOf(rendition.segments).join() !== namesOf(before?.segments ?? []).join()
    })
    await replace(video, { changed, pictures, repaired: faults.length })
  } finally {
    space.stop()
    await removeWorkFolder(work)
    await source.release()
  }
}

type VideoRow = {
  id: string
  accountId: string
  completedAt: Date | null
  poster: string | null
  posterUploaded: string | null
  posterCandidates: string[]
}

/** Makes what was encoded again the video's media, unless the video was deleted or transcoded again meanwhile. */
async function replace(
  { id, accountId, completedAt, poster, posterUploaded, posterCandidates }: VideoRow,
  { changed, pictures, repaired }: { changed: readonly StoredRendition[]; pictures: StoredPictures | undefined; repaired: number },
): Promise<void> {
  await db().$transaction(async (tx) => {
    const held = { id, status: 'COMPLETED' as const, completedAt, deletedAt: null }
    const position = poster === null ? -1 : posterCandidates.indexOf(poster)
    const chosen = position < 0 ? poster : (pictures?.candidates[position] ?? pictures?.poster ?? null)
    const data = pictures && {
      poster: posterUploaded !== null && poster === posterUploaded ? poster : chosen,
      posterCandidates: pictures.candidates,
      storyboard: pictures.storyboard ?? undefined,
      pictureBytes: BigInt(pictures.bytes),
    }
    if ((await tx.video.updateMany({ where: held, data: data ?? { completedAt } })).count !== 1) return
    for (const { quality, ...rendition } of changed)
      await tx.rendition.update({ where: { videoId_quality: { videoId: id, quality } }, data: rendition })
    // Caches of playlists hold the previous lists; the bytes of the video may be the same as before.
    if (changed.length > 0) await tx.$executeRaw`SELECT pg_notify('reelgate', ${`video:${accountId}:${id}`})`
    await appendVideoLog(tx, id, 'store', `Repaired ${repaired} damaged files by encoding the original again.`)
    // A CDN may hold damaged bytes that it received before.
    await enqueueCdnPurge(tx, [id])
  })
}
