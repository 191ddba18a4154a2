import { scorerProgram } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { appendVideoLog } from '../../videos/video-log.ts'
import { newContentKey, sealContentKey } from '../encode/content-key.ts'
import { readHdrPicture } from '../encode/hdr-picture.ts'
import { inTime } from '../encode/in-time.ts'
import { isSeekable } from '../probe/container.ts'
import { type SourcePackets, trySeeking } from '../probe/key-frames.ts'
import { probeWithPackets, type SourceFacts } from '../probe/probe.ts'
import { SourceRejectedError } from '../probe/source-fault.ts'
import { planEqualSearch, planSearch } from '../quality/quality-search.ts'
import type { Attempt } from '../tasks/attempt.ts'
import { type Stopping, storeOrLose, type TranscodeLease, whileHeld } from '../tasks/lease.ts'
import { leaseNextOf } from '../tasks/queue.ts'
import { chunkTasks, type Planned, queueFinish, searchTasks, storePlan } from '../tasks/task-writes.ts'
import { copyObstacle } from './copy-plan.ts'
import { chosenEncoder } from './encoder-choice.ts'
import { FIRST_PRESET, type FurtherCodec, type H264Preset } from './encoders.ts'
import { ladder } from './ladder.ts'
import { needsKeyFrames, planTranscode, type TranscodePlan } from './plan.ts'

/**
 * Plans a video's tasks. Returns the lease of what the worker continues with, if any. Throws SourceRejectedError for a file that cannot
 * become a video.
 */
export async function planVideo(lease: TranscodeLease, attempt: Attempt): Promise<TranscodeLease | undefined> {
  const { signal } = attempt
  const source = await storage().localFile(lease.sourceKey, signal)
  let plan: TranscodePlan
  try {
    const { targetQuality, codec } = lease
    const planned = codec ? planFurther(source.path, { targetQuality, codec, signal }) : planOf(source.path, targetQuality, signal)
    plan = await withSearch(await planned, lease)
  } finally {
    await source.release()
  }
  const sealed = lease.encrypted && !lease.codec ? sealContentKey(newContentKey(), lease.mediaId) : null
  const { next } = await storeOrLose(() => storePlan(lease, plan, sealed), attempt)
  return next
}

/** Returns a plan with a preset, unless that is the first one. */
export const withPreset = (plan: TranscodePlan, preset: H264Preset | null): TranscodePlan =>
  preset && preset !== FIRST_PRESET && !plan.codec ? { ...plan, preset } : plan

/**
 * Adds the search for rate factors to a plan, if this worker encodes with x264 and can measure quality. A re-encoded video has the usual
 * one, with the quality of former versions: bytes that a target saves would cost quality. A video with a slower preset is encoded to the
 * quality that it has. Throws SourceRejectedError if that cannot be measured.
 */
async function withSearch(
  found: TranscodePlan,
  {
    pictureQuality,
    reencodes,
    h264Preset,
    rateFactors,
  }: Pick<TranscodeLease, 'pictureQuality' | 'reencodes' | 'h264Preset' | 'rateFactors'>,
): Promise<TranscodePlan> {
  const plan = withPreset(found, h264Preset)
  if (plan.preset) {
    const search = scorerProgram() === undefined ? undefined : planEqualSearch(plan, rateFactors, pictureQuality)
    if (!search) throw new SourceRejectedError('We cannot measure its picture quality, so a slower preset might change it.')
    return { ...plan, search }
  }
  if (reencodes || scorerProgram() === undefined || (!plan.codec && (await chosenEncoder()) !== 'x264')) return plan
  const search = planSearch(plan, pictureQuality)
  return search ? { ...plan, search } : plan
}

/** Time limit of reading a source for its plan: all passes over it, most of which are as fast as the storage. */
const READ_MS = 15 * 60_000
const READ = {
  ms: READ_MS,
  reason: `Reading this file takes longer than ${READ_MS / 60_000} minutes. Export it in a common format and upload it again.`,
}

/**
 * Reads a source and returns the plan of its tasks, which the same version of the service computes again for the same file. `copies`:
 * whether its packets may become the top rendition. Throws SourceRejectedError for a file that cannot become a video, or takes too long to
 * read.
 */
export const planOf = (path: string, targetQuality: string, stopping: AbortSignal, options: { copies?: boolean } = {}) =>
  inTime({ ...READ, stopping }, (signal) => readPlan(path, targetQuality, signal, options))

async function readPlan(path: string, targetQuality: string, signal: AbortSignal, { copies = true }): Promise<TranscodePlan> {
  const ladderOf = (found: SourceFacts) => ladder({ ...found, frameRate: found.frameRate.value }, targetQuality)
  const mayCopy = (found: SourceFacts) => copies && copyObstacle(found, ladderOf(found)) === undefined
  const { facts, packets } = await probeWithPackets(path, signal, mayCopy)
  const renditions = ladderOf(facts)
  if (!mayCopy(facts) && !needsKeyFrames(facts)) return planTranscode({ facts, renditions })
  const keyFrames = await soughtKeyFrames(path, { facts, packets, signal })
  return planTranscode({ facts, renditions, keyFrames, ...(copies && keyFrames.idrTimes && { idrTimes: keyFrames.idrTimes }) })
}

/** Returns a source's keyframes. Does not seek them in a source with wrong times. */
const soughtKeyFrames = async (
  path: string,
  { facts, packets, signal }: { facts: SourceFacts; packets: SourcePackets; signal: AbortSignal },
) =>
  facts.isBounded || facts.originSec
    ? { ...packets.keyFrames, seekable: false }
    : trySeeking(path, { videoStream: facts.videoStream, codec: facts.coding?.codec }, { keyFrames: packets.keyFrames, signal })

interface Further {
  targetQuality: string
  codec: FurtherCodec
  signal: AbortSignal
}

/**
 * Returns the plan of renditions in an additional codec: only the picture, because the video has its audio and captions. HDR sources keep
 * HDR.
 */
export const planFurther = (path: string, further: Further): Promise<TranscodePlan> =>
  inTime({ ...READ, stopping: further.signal }, (signal) => readFurther(path, { ...further, signal }))

async function readFurther(path: string, { targetQuality, codec, signal }: Further): Promise<TranscodePlan> {
  const {
    facts: { audio, ...found },
    packets,
  } = await probeWithPackets(path, signal)
  const facts = { ...found, audio: [] }
  const renditions = ladder({ ...facts, frameRate: facts.frameRate.value }, targetQuality)
  // Where such a file starts depends on which streams are in use.
  if (audio.length > 0 && !isSeekable(facts)) throw new SourceRejectedError('Only seekable sources get additional codecs.')
  const hdr = await readHdrPicture(path, facts, signal)
  if (!needsKeyFrames(facts)) return planTranscode({ facts, renditions, codec, hdr })
  return planTranscode({
    facts,
    renditions,
    codec,
    hdr,
    keyFrames: await soughtKeyFrames(path, { facts, packets, signal }),
  })
}

interface Input {
  /** Path of the source. */
  source: string
  /** Why the copy cannot stay, for the video's log. */
  reason: string
}

/**
 * Replaces the plan of a video whose packets cannot be its top rendition after all: chunks encode every rendition, and audio tracks stay.
 * Chunks that already did so stay too, finished or not; others start over. The video does not play until its first chunk is done. Returns
 * the lease of what the worker continues with, if any.
 */
export async function planWithoutCopy(lease: TranscodeLease, { source, reason }: Input, stopping: Stopping) {
  if (keepsChunks(lease.plan)) {
    await storeOrLose(() => dropCopy(lease, reason), stopping)
    return undefined
  }
  const plan = await withSearch(await planOf(source, lease.targetQuality, stopping.signal, { copies: false }), lease)
  const { next } = await storeOrLose(() => replacePlan(lease, plan, reason), stopping)
  return next
}

const replacePlan = (lease: TranscodeLease, plan: TranscodePlan, reason: string) =>
  whileHeld(lease, async (tx): Promise<Planned> => {
    const { mediaId } = lease
    await tx.$executeRaw`UPDATE transcode_queue SET plan = ${JSON.stringify(plan)}::jsonb WHERE media_id = ${mediaId}`
    // Workers that encode other chunks find their leases lost.
    await tx.transcodeTask.deleteMany({ where: { mediaId, kind: { in: ['copy', 'quality', 'video'] } } })
    await tx.transcodeTask.createMany({ data: [...searchTasks(mediaId, plan), ...chunkTasks(mediaId, plan)] })
    await tx.media.update({ where: { id: mediaId }, data: { playableAt: null } })
    await appendVideoLog(tx, lease.videoId, 'interrupt', `${reason} We encode the highest quality instead of copying it.`)
    await tx.$executeRaw`SELECT pg_notify('reelgate', ${`transcode-due:${mediaId}`})`
    return { next: await leaseNextOf(tx, lease) }
  })

/**
 * Returns whether a plan's chunks stay the same without its copy: they encode every rendition, and their boundaries stay. With a copy that
 * is kept, they lack the top rendition. A repair plans both in the same way. Pure.
 */
export const keepsChunks = (plan: Pick<TranscodePlan, 'copy'> | null): boolean => plan?.copy?.kept === false

/** Removes only the copy from what a video has and still has to do. Undefined if the lease, which is the copy's, is lost. */
const dropCopy = (lease: TranscodeLease, reason: string) =>
  whileHeld(lease, async (tx) => {
    const { mediaId } = lease
    await tx.$executeRaw`UPDATE transcode_queue SET plan = jsonb_set(plan, '{copy,dropped}', 'true') WHERE media_id = ${mediaId}`
    await tx.transcodeTask.deleteMany({ where: { mediaId, kind: 'copy' } })
    const begun = await tx.transcodeTask.count({ where: { mediaId, kind: 'video', position: 0, doneAt: { not: null } } })
    if (begun === 0) await tx.media.update({ where: { id: mediaId }, data: { playableAt: null } })
    await appendVideoLog(tx, lease.videoId, 'interrupt', `${reason} We encode the highest quality instead of copying it.`)
    await queueFinish(tx, lease)
    return true
  })

/** A lower rendition is stored up to this share of the next higher one's bytes: saving fewer bytes helps no viewer. */
const MOST_SHARE = 0.9
/** Up to this average rate in bits per second, a rendition is stored anyway: it takes little more than the audio. */
const LITTLE = 200_000

interface Sized {
  bytes: number
  averageBandwidth: number
}

interface Choice<Rendition> {
  /** Highest first, at least the highest. */
  kept: Rendition[]
  leftOut: { rendition: Rendition; above: Rendition }[]
}

/**
 * Chooses the renditions, highest first, that a video offers. Leaves out one that saves less than a tenth of the next higher offered one's
 * bytes, because players show the higher one for the same bytes, unless it needs hardly any. Pure.
 */
export function leaveOutUseless<Rendition extends Sized>(renditions: readonly Rendition[]): Choice<Rendition> {
  const kept: Rendition[] = []
  const leftOut: Choice<Rendition>['leftOut'] = []
  for (const rendition of renditions) {
    const above = kept.at(-1)
    if (above && rendition.averageBandwidth > LITTLE && rendition.bytes > above.bytes * MOST_SHARE) leftOut.push({ rendition, above })
    else kept.push(rendition)
  }
  return { kept, leftOut }
}
