import { db, query } from '../../platform/database/database.ts'
import { type LeaseKind, leases, newLease, releaseLease, takeLease } from '../../platform/leases.ts'
import { log } from '../../platform/observe/log.ts'
import { storage } from '../../platform/storage/storage.ts'
import { type StoredMedia, scrubOne, storedMedia } from '../media/scrub.ts'
import { enqueueCdnPurge } from '../videos/cdn-purge.ts'
import { CODECS, type Codec } from '../videos/codecs-schema.ts'
import { type MediaFault, recordFault } from '../videos/media-faults.ts'
import { extraPrefix, picturePrefix, segmentKey } from '../videos/media-keys.ts'
import { dynamicRangeOf } from '../videos/presenter.ts'
import { appendVideoLog } from '../videos/video-log.ts'
import { openContentKey } from './encode/content-key.ts'
import { type EncodedPlan, encodePlan } from './encode/encode-plan.ts'
import { makeWorkFolder, removeWorkFolder, SpaceGuard } from './encode/work-folder.ts'
import { makeIframes } from './pictures/iframes.ts'
import { makePictures, type StoredPictures } from './pictures/pictures.ts'
import { segmentLengths } from './plan/copy-plan.ts'
import type { H264Preset } from './plan/encoders.ts'
import { encodedRenditions, type TranscodePlan } from './plan/plan.ts'
import { planFurther, planOf, withPreset } from './plan/plan-video.ts'
import { parseRate } from './plan/segment-grid.ts'
import type { QualitySearch } from './quality/rate-factor.ts'
import { joinAudio, joinRenditions, type StoredAudio, type StoredIframes, type StoredRendition } from './tasks/store.ts'

/** The faults of one media whose repair is due. */
export const REPAIR: LeaseKind = {
  table: 'media_fault',
  rows: 'media_id = $1 AND due_at <= service_clock()',
  set: 'attempts = attempts + 1',
}

/** Media that no repair can restore. The message is for the operator. */
class IrreparableError extends Error {
  override name = 'IrreparableError'
}

/** Repairs media with faults until none is due. Any number of workers can run it. Runs as the job `media.repair`. */
export async function repairDue(signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const [next] = await query<{ mediaId: string }>('next-media-repair', NEXT, [])
    if (!next) return
    const { mediaId } = next
    const lease = newLease()
    if ((await takeLease(REPAIR, lease, [mediaId])) !== 'taken') continue
    const drop = leases().keep(REPAIR, lease)
    try {
      await repairMedia(mediaId, signal, lease)
    } catch (error) {
      if (signal.aborted) {
        await releaseLease(REPAIR, lease, { set: 'attempts = attempts - 1' })
        throw error
      }
      log().error({ err: error, mediaId }, 'could not repair the media of a video')
      const isLast = error instanceof IrreparableError
      await releaseLease(REPAIR, lease, { set: FAILED, values: [(error as Error).message.slice(0, 500), isLast] })
    } finally {
      drop()
    }
  }
}

/** A fault found during a repair waits for its end. */
const NEXT = `
  SELECT media_id AS "mediaId" FROM media_fault AS f WHERE due_at <= service_clock() AND NOT EXISTS (
    SELECT FROM media_fault AS held WHERE held.media_id = f.media_id AND held.leased_until > service_now())
  ORDER BY due_at LIMIT 1`
const FAILED = `
  failure = $2, due_at = CASE WHEN NOT $3::boolean
    THEN service_clock() + make_interval(secs => least(86400, 300 * 2 ^ least(attempts, 9))) END`

/**
 * Restores damaged objects of media by re-encoding those chunks of its original with its content key. The same ffmpeg with the same threads
 * yields the same bytes, which replace the damaged objects under their names. If it yields others, re-encodes all of a codec's renditions
 * and replaces their lists in one transaction; objects of the previous lists stay for viewers who hold them. Also leases the faults that it
 * finds under `lease`. Throws if damage is left.
 */
export async function repairMedia(mediaId: string, signal: AbortSignal, lease = newLease()): Promise<void> {
  const [stored] = await storedMedia({ mediaId })
  const faults = stored ? (await scrubOne(stored, { signal })).faults : []
  if (!stored || faults.length === 0) return void (await db().mediaFault.deleteMany({ where: { mediaId } }))
  for (const fault of faults) await recordFault(fault, { repair: true })
  await takeLease(REPAIR, lease, [mediaId])
  refuseIrreparable(stored, faults)
  const owners = faults.filter(({ key }) => key.startsWith(extraPrefix(stored.videoId)))
  for (const codec of CODECS) await encodeAgain(mediaId, { lease, codec, faults }, signal)

  const [after] = await storedMedia({ mediaId })
  const left = after ? (await scrubOne(after, { signal })).faults : []
  const keys = left.map(({ key }) => key)
  await db().mediaFault.deleteMany({ where: { mediaId, key: { notIn: keys } } })
  if (owners.length > 0)
    throw new IrreparableError(
      'Captions, an earlier version of them or a poster are damaged. The original does not contain them: upload them again, or restore them from a backup.',
    )
  if (left.length > 0) throw new Error(`${left.length} objects are still damaged after the repair.`)
}

function refuseIrreparable({ videoId, sourceKey }: StoredMedia, faults: readonly MediaFault[]): void {
  const source = faults.find(({ key }) => key === sourceKey)
  if (!source) return
  const state = source.kind === 'missing' ? 'is missing' : 'is damaged'
  throw new IrreparableError(`The original of ${videoId} ${state}, so nothing can be re-encoded. Restore it from a backup.`)
}

type Stored = [name: string, durationSec: number][]
const namesOf = (segments: unknown) => (segments as Stored).map(([name]) => name)

const findMedia = (id: string) =>
  db().media.findUniqueOrThrow({
    where: { id },
    include: { renditions: true, audio: true, iframes: true, video: { select: { deletedAt: true } } },
  })
type FoundMedia = Awaited<ReturnType<typeof findMedia>>

/** Media as the renditions of one codec. Audio, keyframes and pictures belong to H.264. */
type MediaRow = FoundMedia & { codec: Codec }

function inCodec(media: FoundMedia, codec: Codec): MediaRow {
  const renditions = media.renditions.filter((one) => one.codec === codec)
  return codec === 'h264' ? { ...media, codec, renditions } : { ...media, codec, renditions, audio: [], iframes: [] }
}

interface Damaged {
  lease: string
  codec: Codec
  faults: readonly MediaFault[]
}

/** Restores what is damaged in one codec. */
async function encodeAgain(mediaId: string, { lease, codec, faults }: Damaged, signal: AbortSignal): Promise<void> {
  const media = inCodec(await findMedia(mediaId), codec)
  if (media.video.deletedAt) throw new IrreparableError('The video was deleted.')
  const damaged = new Set(faults.map(({ key }) => key))
  const pictures = codec === 'h264' ? faults.filter(({ key }) => key.startsWith(picturePrefix(mediaId))) : []
  const segments = [...media.renditions, ...media.audio, ...media.iframes].flatMap((one) => namesOf(one.segments))
  const own = new Set(segments.map((name) => segmentKey(mediaId, name)).filter((key) => damaged.has(key)))
  if (own.size + pictures.length === 0) return
  const space = new SpaceGuard()
  const running = AbortSignal.any([signal, space.signal])
  const source = await storage().localFile(media.sourceKey, running)
  let folder: string | undefined
  try {
    folder = await makeWorkFolder({ mediaId, kind: 'repair', position: 0, leaseId: lease })
    const plan = await planLike(media, source.path, running)
    const contentKey = media.encrypted && media.contentKey ? openContentKey(media.contentKey, mediaId) : undefined
    const input = { mediaId, contentKey, source: source.path, folder, plan, signal: running }
    const lists = listsOf(media)
    const isDamaged = (stream: string, from: number, to?: number) =>
      (lists.get(stream) ?? []).slice(from, to).some(([name]) => damaged.has(segmentKey(mediaId, name)))
    // Audio inside the renditions becomes separate tracks, which every rendition then refers to.
    const isMuxed = plan.facts.audio.length > 0 && media.audio.length === 0
    const affected = new Set([...lists.keys()].filter((stream) => isDamaged(stream, 0)))
    const parts = await encodePlan({
      ...input,
      only: affected,
      wantsChunk: ({ firstSegment, position }) => {
        const end = plan.chunks[position + 1]?.firstSegment
        return encodedRenditions(plan).some(({ quality }) => isDamaged(quality, firstSegment, end))
      },
      wantsCopy: isDamaged(plan.renditions[0]?.quality ?? '', 0),
      wantsTrack: (position) => isDamaged(`audio-${position}`, 0),
    })
    const isSame = affected.size === 0 || (!isMuxed && hasSameNames(lists, affected, parts))
    const changed = isSame ? NOTHING : await encodeWhole({ ...input, ...(isMuxed ? {} : { only: affected }) })
    const renditions = media.renditions.toSorted((a, b) => b.width * b.height - a.width * a.height)
    const pictured = renditions.map((one) => changed.renditions.find(({ quality }) => quality === one.quality) ?? withList(one))
    const iframes = await cutAgain(media, { contentKey, changed, damaged, signal: running })
    const made =
      pictures.length > 0 ? await makePictures({ mediaId, contentKey, folder, renditions: pictured, signal: running }) : undefined
    await replace(media, { changed, iframes, pictures: made, repaired: own.size + pictures.length })
  } finally {
    space.stop()
    await removeWorkFolder(folder)
    await source.release()
  }
}

/**
 * Plans media with its stored renditions' segments, rate factors and preset. It was copied in part only if the version that encoded it did
 * so.
 */
async function planLike({ codec, ...media }: MediaRow, path: string, signal: AbortSignal): Promise<TranscodePlan> {
  const { targetQuality } = media
  const plan =
    codec === 'h264'
      ? withPreset(await planWithStarts(media, path, signal), media.h264Preset as H264Preset | null)
      : likeRange(media, await planFurther(path, { targetQuality, codec, signal }))
  const rateFactors = codec === 'h264' ? media.rateFactors : media.av1RateFactors
  return rateFactors ? { ...plan, search: rateFactors as unknown as QualitySearch } : plan
}

/** Earlier versions tone-mapped HDR sources in every codec, and a playlist has one dynamic range. */
function likeRange({ renditions }: Pick<FoundMedia, 'renditions'>, { hdr, ...plan }: TranscodePlan): TranscodePlan {
  return hdr && renditions.some(({ codecs }) => dynamicRangeOf(codecs) !== 'SDR') ? { ...plan, hdr } : plan
}

async function planWithStarts(
  { renditions, targetQuality }: Pick<FoundMedia, 'renditions' | 'targetQuality'>,
  path: string,
  signal: AbortSignal,
): Promise<TranscodePlan> {
  const plan = await planOf(path, targetQuality, signal)
  if (!plan.copy) return plan
  const lengths = segmentLengths(plan.copy, parseRate(plan.facts.frameRate.text))
  // The last segment lacks frames if the source ended early.
  const isLike = renditions.every(({ segments }) => {
    const stored = segments as Stored
    return (
      stored.length === lengths.length && stored.slice(0, -1).every(([, sec], at) => Math.abs(sec - (lengths[at] as number)) < SAME_SEC)
    )
  })
  return isLike ? plan : planOf(path, targetQuality, signal, { copies: false })
}

const SAME_SEC = 0.01

interface Cut {
  contentKey: Uint8Array | undefined
  changed: Lists
  damaged: ReadonlySet<string>
  signal: AbortSignal
}

/** Stores keyframes again for renditions that changed or whose keyframes are damaged, and returns their lists. */
async function cutAgain(
  { id: mediaId, iframes, renditions }: MediaRow,
  { contentKey, changed, damaged, signal }: Cut,
): Promise<StoredIframes[]> {
  const again: StoredIframes[] = []
  for (const { quality, segments } of iframes) {
    const replaced = changed.renditions.find((one) => one.quality === quality)
    const stored = renditions.find((one) => one.quality === quality)
    const rendition = replaced ?? (stored && withList(stored))
    const isDamaged = namesOf(segments).some((name) => damaged.has(segmentKey(mediaId, name)))
    if (rendition && (replaced || isDamaged)) again.push(...(await makeIframes({ mediaId, contentKey, rendition, signal })).iframes)
  }
  return again
}

/** Returns the segment lists by stream: qualities, and `audio-<position>`. */
const listsOf = ({ renditions, audio }: MediaRow): Map<string, Stored> =>
  new Map([
    ...renditions.map(({ quality, segments }) => [quality, segments as Stored] as const),
    ...audio.map(({ position, segments }) => [`audio-${position}`, segments as Stored] as const),
  ])

const withList = <Row extends { segments: unknown }>(row: Row) => ({ ...row, segments: row.segments as Stored })

interface Lists {
  renditions: StoredRendition[]
  audio: StoredAudio[]
}
const NOTHING: Lists = { renditions: [], audio: [] }

/** Encodes all chunks and tracks, and stores and returns the lists of the streams in `only`. Undefined: all. */
async function encodeWhole(input: Parameters<typeof encodePlan>[0]): Promise<Lists> {
  const { plan, only } = input
  const { chunks, tracks, copied } = await encodePlan(input)
  const isWanted = (stream: string) => only?.has(stream) ?? true
  return {
    renditions: joinRenditions(plan, chunks, copied).filter(({ quality }) => isWanted(quality)),
    audio: joinAudio(plan, tracks).filter(({ position }) => isWanted(`audio-${position}`)),
  }
}

/** Returns whether every re-encoded segment has the name that its stream's list has in its place. */
function hasSameNames(lists: Map<string, Stored>, affected: ReadonlySet<string>, { segments }: EncodedPlan): boolean {
  return segments.every(({ stream, first, names }) => {
    if (!affected.has(stream)) return true
    const list = namesOf(lists.get(stream) ?? [])
    return names.join() === list.slice(first, first + names.length).join()
  })
}

interface Repaired {
  changed: Lists
  iframes: StoredIframes[]
  pictures: StoredPictures | undefined
  /** Number of damaged objects. */
  repaired: number
}

/** Makes what was re-encoded part of the media, unless its video was deleted in the meantime. */
async function replace(media: MediaRow, { changed, iframes, pictures, repaired }: Repaired): Promise<void> {
  const { id: mediaId, videoId, accountId, codec } = media
  await db().$transaction(async (tx) => {
    const [video] = await tx.$queryRaw<{ poster: string | null; plays: boolean }[]>`
      SELECT poster, media_id IS NOT DISTINCT FROM ${mediaId} AS plays FROM video WHERE id = ${videoId} AND deleted_at IS NULL FOR NO KEY UPDATE`
    if (!video) return
    if (pictures) {
      const { poster, candidates, storyboard, bytes } = pictures
      const data = { poster, posterCandidates: candidates, storyboard: storyboard ?? undefined, pictureBytes: BigInt(bytes) }
      await tx.media.update({ where: { id: mediaId }, data })
      const at = video.poster === null ? -1 : media.posterCandidates.indexOf(video.poster)
      if (video.plays && at >= 0) await tx.video.update({ where: { id: videoId }, data: { poster: candidates[at] ?? poster } })
    }
    for (const { quality, ...rendition } of changed.renditions)
      await tx.rendition.update({ where: { mediaId_codec_quality: { mediaId, codec, quality } }, data: rendition })
    for (const { position: nr, ...track } of changed.audio) {
      const where = { mediaId_position: { mediaId, position: nr } }
      await tx.audioRendition.upsert({ where, update: track, create: { mediaId, position: nr, ...track } })
    }
    for (const { quality, ...cut } of iframes)
      await tx.iframeRendition.update({ where: { mediaId_quality: { mediaId, quality } }, data: cut })
    if (changed !== NOTHING || iframes.length > 0) await tx.$executeRaw`SELECT pg_notify('reelgate', ${`video:${accountId}:${videoId}`})`
    await appendVideoLog(tx, videoId, 'store', `Repaired ${repaired} damaged files by re-encoding the original.`)
    // A CDN may hold damaged bytes that it received earlier.
    await enqueueCdnPurge(tx, [mediaId])
  })
}
