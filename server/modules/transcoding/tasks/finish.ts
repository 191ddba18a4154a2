import type { AccountId } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { hashFile } from '../../../platform/files/hash-file.ts'
import { releaseLease } from '../../../platform/leases.ts'
import { megabytes } from '../../../platform/megabytes.ts'
import { log } from '../../../platform/observe/log.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { isStorageError } from '../../../platform/storage/storage-error.ts'
import { removeUnnamedExtras } from '../../videos/extras.ts'
import { sourceKey as ownSourceKey } from '../../videos/media-keys.ts'
import { openContentKey } from '../encode/content-key.ts'
import { damageOf, describeDamage } from '../encode/damage.ts'
import { isDiskFault } from '../faults.ts'
import { makeIframes, NO_IFRAMES } from '../pictures/iframes.ts'
import { makePictures, NO_PICTURES } from '../pictures/pictures.ts'
import { FIRST_PRESET, type H264Preset } from '../plan/encoders.ts'
import { completeFurtherCodec, hasFurtherCodec } from '../plan/further-codec.ts'
import { encodedRenditions, type TranscodePlan } from '../plan/plan.ts'
import { leaveOutUseless } from '../plan/plan-video.ts'
import { refuseIncomplete } from '../probe/incomplete-source.ts'
import { addSourceCaptions } from '../probe/source-captions.ts'
import { describeRateFactors } from '../quality/rate-factor.ts'
import type { Attempt } from './attempt.ts'
import { complete, isCompleted } from './complete.ts'
import { recordStep, type Stopping, storeOrLose, TASK, type TranscodeLease, whenReachable } from './lease.ts'
import { declineReencode, judgeReencode } from './reencode.ts'
import { type ChunkResult, joinAudio, joinRenditions, removeUnnamed, type StoredRendition, type StreamResult } from './store.ts'
import { isBeingTranscoded } from './switch-source.ts'

/** Seconds before retrying a finished replacement whose video is being transcoded. */
const WAIT_SEC = 15

/**
 * Joins what the other tasks stored, creates the pictures and completes the video, or makes it another video's new source. Throws
 * SourceRejectedError for a truncated source.
 */
export async function finishVideo(lease: TranscodeLease, attempt: Attempt): Promise<undefined> {
  const { work, written, signal } = attempt
  const { accountId, videoId, mediaId, leaseId, replaces, sourceKey, sealedKey, plan } = lease
  if (replaces && (await isBeingTranscoded(videoId))) return void (await releaseLease(TASK, leaseId, { afterSec: WAIT_SEC }))
  if (!plan) throw new Error(`${mediaId} has no plan`)
  const chunks = await resultsOf<ChunkResult>(mediaId, 'video')
  const tracks = await resultsOf<StreamResult>(mediaId, 'audio')
  const [copied] = await resultsOf<StreamResult>(mediaId, 'copy')
  refuseIncomplete(plan, {
    damage: chunks.map((chunk) => chunk.damage ?? []),
    damagedTracks: [...tracks.keys()].filter((at) => tracks[at]?.damage),
    frames: chunks.map(({ frames }) => frames),
    audioSec: tracks.map(({ segments }) => segments.reduce((sum, [, durationSec]) => sum + durationSec, 0)),
  })
  const encodedAll = joinRenditions(plan, chunks, copied)
  if (plan.codec) return void (await finishFurther(lease, encodedAll, attempt))
  // A re-encoded video keeps its qualities, whatever their bytes.
  const { kept: renditions, leftOut } = lease.reencodes ? { kept: encodedAll, leftOut: [] } : leaveOutUseless(encodedAll)
  const audio = joinAudio(plan, tracks)
  const contentKey = sealedKey ? openContentKey(sealedKey, mediaId) : undefined
  const source = { mediaId, contentKey, written }
  const running = { lease, signal }
  const [pictures, { iframes, closedCaptions }, sourceHash] = await allSettled([
    orNone({ ...running, ...NO_PICTURES_MADE }, (limited) => makePictures({ ...source, folder: work, renditions, signal: limited })),
    orNone({ ...running, ...NO_IFRAMES_MADE }, (limited) => makeIframes({ ...source, rendition: lowestOf(renditions), signal: limited })),
    hashOf(sourceKey, signal),
  ])
  const { omitted, captions } = await addSourceCaptions(lease, { work, signal })
  const damage = [...damageOf(plan, chunks, tracks), ...omitted]
  const note = (step: 'encode' | 'store', message: string) => whenReachable(() => recordStep(lease, step, message), signal)
  await note('encode', describeWork(plan, chunks.length))
  const factors = describeRateFactors(plan.search)
  if (factors) await note('encode', factors)
  for (const part of damage) await note('encode', describeDamage(part))
  for (const { rendition, above } of leftOut)
    await note('encode', `Left out ${rendition.quality}: it needs nearly as many bytes as ${above.quality}.`)
  const bytes = [...renditions, ...audio, ...iframes].reduce((sum, one) => sum + one.bytes, 0)
  await note('store', `Stored ${contentKey ? 'encrypted' : 'unencrypted'}, ${megabytes(bytes)}.`)
  const encoded = { renditions, audio, iframes }
  let savings: string | undefined
  if (lease.reencodes) {
    const { mediaId: former } = await db().video.findUniqueOrThrow({ where: { id: videoId }, select: { mediaId: true } })
    const verdict = await judgeReencode(db(), former as string, encoded)
    if (!verdict.isBetter) return void (await whenReachable(() => declineReencode(lease, verdict.text), signal))
    savings = verdict.text
    await copySource({ from: sourceKey, to: ownSourceKey(mediaId), signal })
  }
  const result = {
    ...{ sourceHash, damage, captions, renditions, audio, iframes, closedCaptions, pictures, savings },
    h264Preset: presetOf(plan, chunks),
    rateFactors: plan.search?.found?.length ? plan.search : null,
  }
  // The response to an earlier write may have been lost.
  const isComplete = async () => (await complete(lease, result)) || (await isCompleted(lease))
  await storeOrLose(isComplete, attempt)
  // Sessions from before may hold their playlists.
  const held = [...(copied?.segments ?? []), ...leftOut.flatMap(({ rendition }) => rendition.segments)]
  await removeUnnamed(
    lease,
    held.map(([name]) => name),
  )
  // Captions found in the former source.
  if (replaces) await removeUnnamedExtras({ accountId: accountId as AccountId, actor: { kind: 'system' }, requestId: 'finish' }, videoId)
}

/** Completes the renditions in an additional codec, which are all that its tasks made. */
async function finishFurther(lease: TranscodeLease, renditions: StoredRendition[], stopping: Stopping): Promise<void> {
  const factors = describeRateFactors(lease.plan?.search)
  if (factors) await whenReachable(() => recordStep(lease, 'encode', factors), stopping.signal)
  const isComplete = async () => (await completeFurtherCodec(lease, renditions)) || (await hasFurtherCodec(lease))
  await storeOrLose(isComplete, stopping)
  await removeUnnamed(lease)
}

function describeWork(plan: TranscodePlan, chunks: number): string {
  const encoded = `ncoded ${encodedRenditions(plan)
    .map(({ quality }) => quality)
    .join(', ')}${inParts(chunks)}.`
  return plan.copy?.kept ? `Copied ${plan.renditions[0]?.quality} from the file, e${encoded}` : `E${encoded}`
}

/**
 * Returns the x264 preset that all renditions were encoded with, if a slower one could take its place. Null if another encoder was used,
 * packets were copied, or the source is HDR, against which H.264's quality cannot be measured.
 */
function presetOf({ preset = FIRST_PRESET, copy, facts }: TranscodePlan, chunks: readonly ChunkResult[]): H264Preset | null {
  const encoded = chunks.filter(({ frames }) => frames > 0)
  return !copy?.kept && !facts.hdr && encoded.length > 0 && encoded.every(({ encoder }) => encoder === 'x264') ? preset : null
}

/** Gives a re-encoded video its own original, because the former one goes with the former media. */
async function copySource({ from, to, signal }: { from: string; to: string; signal: AbortSignal }): Promise<void> {
  const source = await storage().localFile(from, signal)
  try {
    await storage().putFile(to, source.path)
  } finally {
    await source.release()
  }
}

const inParts = (count: number) => (count > 1 ? ` in ${count} parts` : '')

async function hashOf(sourceKey: string, signal: AbortSignal): Promise<Buffer<ArrayBuffer>> {
  const source = await storage().localFile(sourceKey, signal)
  try {
    return await hashFile(source.path, signal)
  } finally {
    await source.release()
  }
}

/** Returns the results of a media's tasks of one kind, in order. */
async function resultsOf<Result>(mediaId: string, kind: 'video' | 'audio' | 'copy'): Promise<Result[]> {
  const tasks = await db().transcodeTask.findMany({ where: { mediaId, kind }, orderBy: { position: 'asc' }, select: { result: true } })
  return tasks.map(({ result }) => result as Result)
}

/** Time limit of creating pictures or keyframes. A 12-hour video takes a minute or two. */
const EXTRAS_MS = 10 * 60_000

const NO_PICTURES_MADE = {
  none: NO_PICTURES,
  fault: 'could not create posters and seek previews',
  message: 'We could not create posters and seek previews. The video plays without them, and you can upload a poster.',
}
const NO_IFRAMES_MADE = {
  none: NO_IFRAMES,
  fault: 'could not store keyframes separately',
  message: 'We could not store keyframes for fast scanning. The video plays without them.',
}

interface Extra<Result> {
  lease: TranscodeLease
  signal: AbortSignal
  /** What the video has instead. */
  none: Result
  /** For the log of the process. */
  fault: string
  /** For the log of the video. */
  message: string
}

/** Creates what a video can play without. Returns `none` on errors. A full disk fails the attempt, because later writes would fail too. */
async function orNone<Result>(extra: Extra<Result>, make: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const { lease, signal, none, fault, message } = extra
  try {
    return await make(AbortSignal.any([signal, AbortSignal.timeout(EXTRAS_MS)]))
  } catch (error) {
    if (signal.aborted || isDiskFault(error) || isStorageError(error)) throw error
    log().error({ err: error, videoId: lease.videoId }, fault)
    await whenReachable(() => recordStep(lease, 'store', message), signal)
    return none
  }
}

function lowestOf(renditions: readonly StoredRendition[]): StoredRendition {
  const lowest = renditions.at(-1)
  if (!lowest) throw new Error('there is no rendition')
  return lowest
}

/** Returns all results. Waits for all to settle before it rejects, so that cleanup cannot race with another. */
async function allSettled<Results extends readonly unknown[]>(work: { [Nr in keyof Results]: Promise<Results[Nr]> }): Promise<Results> {
  await Promise.allSettled(work)
  return (await Promise.all(work)) as unknown as Results
}
