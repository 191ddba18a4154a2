import { db } from '../../platform/database.ts'
import { hashFile } from '../../platform/hash-file.ts'
import { log } from '../../platform/log.ts'
import { storage } from '../../platform/storage/storage.ts'
import { isStorageError } from '../../platform/storage/storage-error.ts'
import type { Attempt } from './attempt.ts'
import { complete, isCompleted } from './complete.ts'
import { openContentKey } from './content-key.ts'
import { damageOf, describeDamage } from './damage.ts'
import { isDiskFault } from './faults.ts'
import { refuseIncomplete } from './incomplete-source.ts'
import { whenReachable } from './keep-lease.ts'
import { recordStep, type TranscodeLease } from './lease.ts'
import { makePictures, NO_PICTURES, type StoredPictures } from './pictures.ts'
import { encodedRenditions, type TranscodePlan } from './plan.ts'
import { addSourceCaptions } from './source-captions.ts'
import { joinAudio, joinRenditions, removeUnnamed } from './store.ts'
import type { ChunkResult, StreamResult } from './task-result.ts'

/** Joins what the other tasks stored, creates the pictures and completes the video. Throws SourceRejectedError for a truncated source. */
export async function finishVideo(lease: TranscodeLease, { work, written, signal, onLost }: Attempt): Promise<undefined> {
  const { videoId, sourceKey, sealedKey, plan } = lease
  if (!plan) throw new Error(`${videoId} has no plan`)
  const chunks = await resultsOf<ChunkResult>(videoId, 'video')
  const tracks = await resultsOf<StreamResult>(videoId, 'audio')
  const [copied] = await resultsOf<StreamResult>(videoId, 'copy')
  const damage = damageOf(plan, chunks, tracks)
  refuseIncomplete(plan, {
    damage: chunks.map((chunk) => chunk.damage ?? []),
    damagedTracks: [...tracks.keys()].filter((at) => tracks[at]?.damage),
    frames: chunks.map(({ frames }) => frames),
    audioSec: tracks.map(({ segments }) => segments.reduce((sum, [, durationSec]) => sum + durationSec, 0)),
  })
  const renditions = joinRenditions(plan, chunks, copied)
  const audio = joinAudio(plan, tracks)
  const contentKey = sealedKey ? openContentKey(sealedKey, videoId) : undefined
  const [pictures, sourceHash] = await bothSettled(
    picturesOrNone(lease, { videoId, contentKey, folder: work, renditions, written, signal }),
    hashOf(sourceKey, signal),
  )
  await addSourceCaptions(lease, { work, signal })
  const note = (step: 'encode' | 'store', message: string) => whenReachable(() => recordStep(lease, step, message), signal)
  await note('encode', describeWork(plan, chunks.length))
  for (const part of damage) await note('encode', describeDamage(part))
  const megabytes = [...renditions, ...audio].reduce((sum, one) => sum + one.bytes, 0) / 1e6
  await note('store', `Stored ${contentKey ? 'encrypted' : 'unencrypted'}, ${megabytes.toFixed(1)} MB.`)
  // The response to an earlier write may have been lost.
  const isComplete = async () => (await complete(lease, { sourceHash, damage, renditions, audio, pictures })) || (await isCompleted(lease))
  if (await whenReachable(isComplete, signal))
    await removeUnnamed(
      videoId,
      copied?.segments.map(([name]) => name),
    )
  else {
    onLost()
    signal.throwIfAborted()
  }
}

function describeWork(plan: TranscodePlan, chunks: number): string {
  const encoded = `ncoded ${encodedRenditions(plan)
    .map(({ quality }) => quality)
    .join(', ')}${inParts(chunks)}.`
  return plan.copy?.kept ? `Copied ${plan.renditions[0]?.quality} from the file, e${encoded}` : `E${encoded}`
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

/** Returns the results of a video's tasks of one kind, in order. */
async function resultsOf<Result>(videoId: string, kind: 'video' | 'audio' | 'copy'): Promise<Result[]> {
  const tasks = await db().transcodeTask.findMany({ where: { videoId, kind }, orderBy: { position: 'asc' }, select: { result: true } })
  return tasks.map(({ result }) => result as Result)
}

/** Time limit of creating pictures; for a video of a day it takes a few minutes. */
const PICTURES_MS = 30 * 60_000

/** Returns no pictures on errors, as a video plays without them. A full disk fails the attempt: later writes would fail too. */
async function picturesOrNone(lease: TranscodeLease, input: Parameters<typeof makePictures>[0]): Promise<StoredPictures> {
  try {
    return await makePictures({ ...input, signal: AbortSignal.any([input.signal, AbortSignal.timeout(PICTURES_MS)]) })
  } catch (error) {
    if (input.signal.aborted || isDiskFault(error) || isStorageError(error)) throw error
    log().error({ err: error, videoId: lease.videoId }, 'posters and seek previews could not be created')
    const message = 'Posters and seek previews could not be created. The video plays without them. You can upload a poster.'
    await whenReachable(() => recordStep(lease, 'store', message), input.signal)
    return NO_PICTURES
  }
}

/** Returns two results. Waits for both to settle before it rejects, so that cleanup cannot race with the other one. */
async function bothSettled<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return [await a, await b]
}
