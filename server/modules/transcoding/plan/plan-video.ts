import { scorerProgram } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { newContentKey, sealContentKey } from '../encode/content-key.ts'
import { readHdrPicture } from '../encode/hdr-picture.ts'
import { inTime } from '../encode/in-time.ts'
import { isSeekable } from '../probe/container.ts'
import { type SourcePackets, trySeeking } from '../probe/key-frames.ts'
import { probeWithPackets, type SourceFacts } from '../probe/probe.ts'
import { SourceRejectedError } from '../probe/source-rejected.ts'
import { planEqualSearch, planSearch } from '../quality/quality-search.ts'
import type { Attempt } from '../tasks/attempt.ts'
import { predictAtStart, predicted } from '../tasks/estimates.ts'
import { whenReachable } from '../tasks/keep-lease.ts'
import type { TranscodeLease } from '../tasks/lease.ts'
import { storePlan } from '../tasks/task-writes.ts'
import { copyObstacle } from './copy-plan.ts'
import { chosenEncoder } from './encoder-choice.ts'
import { FIRST_PRESET, type FurtherCodec, type H264Preset } from './encoders.ts'
import { ladder } from './ladder.ts'
import { needsKeyFrames, planTranscode, type TranscodePlan } from './plan.ts'

/** Plans a video's tasks. Returns the lease of what the worker goes on with, if any. Throws SourceRejectedError for a file that cannot become a video. */
export async function planVideo(lease: TranscodeLease, { signal, onLost }: Attempt): Promise<TranscodeLease | undefined> {
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
  const planned = await whenReachable(() => storePlan(lease, plan, sealed), signal)
  if (!planned) onLost()
  // A slower preset says nothing about the pace of other videos.
  else if (!lease.codec && !plan.preset) await predicted(lease.videoId, predictAtStart(lease))
  return planned?.next
}

/** Returns a plan with a preset, unless that is the first one. */
export const withPreset = (plan: TranscodePlan, preset: H264Preset | null): TranscodePlan =>
  preset && preset !== FIRST_PRESET && !plan.codec ? { ...plan, preset } : plan

/**
 * Adds the search for rate factors to a plan, where this worker encodes with x264 and can measure quality. A video that is encoded again has the usual
 * one, whose quality is that of former versions: bytes that a target saves would cost quality. One with a slower preset is encoded to the
 * quality that it has. Throws SourceRejectedError where that cannot be measured.
 */
export async function withSearch(
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
    if (!search) throw new SourceRejectedError('Its picture quality cannot be measured, so a slower preset could change it.')
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
 * Reads a source and returns the plan of its tasks, which the same version of the service computes again for the same file. `copies`: whether
 * its packets may become the top rendition. Throws SourceRejectedError for a file that cannot become a video, or takes too long to read.
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

/** Returns the key frames of a source; those of one with wrong times are not sought. */
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

/** Returns the plan of renditions in a further codec: the picture alone, as the video has its sound and captions. HDR sources keep theirs. */
export const planFurther = (path: string, further: Further): Promise<TranscodePlan> =>
  inTime({ ...READ, stopping: further.signal }, (signal) => readFurther(path, { ...further, signal }))

async function readFurther(path: string, { targetQuality, codec, signal }: Further): Promise<TranscodePlan> {
  const {
    facts: { audio, ...found },
    packets,
  } = await probeWithPackets(path, signal)
  const facts = { ...found, audio: [] }
  const renditions = ladder({ ...facts, frameRate: facts.frameRate.value }, targetQuality)
  // Which streams are in use decides about the start of such a file.
  if (audio.length > 0 && !isSeekable(facts))
    throw new SourceRejectedError('Only sources that can be read from any place get further codecs.')
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
