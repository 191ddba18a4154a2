import { log } from '../../platform/log.ts'
import { storage } from '../../platform/storage/storage.ts'
import { isStorageError } from '../../platform/storage/storage-error.ts'
import { segmentPrefix } from '../videos/media-keys.ts'
import { removeMedia } from '../videos/remove-media.ts'
import { newContentKey, sealContentKey } from './content-key.ts'
import { encode, type Progress } from './encode.ts'
import { isDiskFault, reasonFor, storageFault } from './faults.ts'
import { intake } from './intake.ts'
import { keepLease, whenReachable } from './keep-lease.ts'
import { ladder } from './ladder.ts'
import {
  complete,
  completedByLease,
  fail,
  holdsLease,
  isVideoDeleted,
  leaseVideo,
  MAX_RETURNS,
  recordProgress,
  recordSourceFacts,
  recordStep,
  release,
  type TranscodeLease,
  type VideoRef,
} from './lease.ts'
import { measureAttempt, measureEncoding, type TranscodeResult } from './metrics.ts'
import { makePictures, NO_PICTURES, pictureRenditions, type StoredPictures } from './pictures.ts'
import { probe } from './probe.ts'
import { segmentStore } from './segment-store.ts'
import { isSourceRejected } from './source-rejected.ts'
import { SpaceGuard } from './space.ts'
import { removeUnnamed } from './store.ts'
import { makeWorkFolder, removeWorkFolder } from './work-folder.ts'

/** Attempts that fail before the video does. Interruptions by a shutdown and faults of disks and of the storage are not counted. */
export const MAX_TRIES = 3

const STOPPED = 'The transcoder failed three times on this file, which may be damaged. Export it again and upload the new file.'
/** Transcodes one video out of turn, if it needs transcoding. */
export async function transcodeVideo(which: VideoRef, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await intake().opened(signal)
  const lease = await leaseVideo(which)
  if (lease) await transcode(lease, signal)
}

/**
 * Transcodes a leased video: PROCESSING → COMPLETED, or FAILED with a reason. Safe to repeat at any point, also while another
 * worker assumes that it holds the lease. Throws on interruption (after releasing the video) and on errors worth another attempt.
 */
export async function transcode(lease: TranscodeLease, signal: AbortSignal): Promise<void> {
  if (lease.attempt > MAX_TRIES) return giveUp(lease, STOPPED)

  const startedAt = performance.now()
  let result: TranscodeResult = 'completed'
  const lost = new AbortController()
  const space = new SpaceGuard()
  const stopRenewing = keepLease(lease, () => lost.abort())
  const written = new Set<string>()
  let work: string | undefined
  try {
    work = await makeWorkFolder(lease)
    await produce(lease, { work, written, signal: AbortSignal.any([signal, lost.signal, space.signal]), onLost: () => lost.abort() })
  } catch (thrown) {
    result = lost.signal.aborted ? 'lost' : isSourceRejected(thrown) ? 'rejected' : signal.aborted ? 'interrupted' : 'failed'
    // The new lease holder, or the deletion, decides about the video; only this attempt's own objects are removed.
    if (lost.signal.aborted) return (await isVideoDeleted(lease)) ? await removeMedia(lease) : await removeOwn(lease, written)
    const held = AbortSignal.any([signal, lost.signal])
    if (isSourceRejected(thrown)) return await whenReachable(() => giveUp(lease, thrown.message), held)
    if (signal.aborted) {
      await release(lease, 'stopped')
      throw thrown
    }
    const error = space.signal.aborted ? space.signal.reason : thrown
    log().error({ err: error, videoId: lease.videoId, attempt: lease.attempt }, 'transcoding failed')
    await whenReachable(() => removeWritten(lease, written), held)
    const fault = await storageFault(error)
    if (fault) {
      result = 'storage'
      intake().storageFailed()
      await whenReachable(() => release(lease, fault), held)
      throw error
    }
    const diskFailed = work === undefined || isDiskFault(error)
    if (diskFailed) {
      result = 'disk'
      await removeWorkFolder(work)
      await intake().diskFailed(error)
    }
    const last = diskFailed ? lease.returns >= MAX_RETURNS : lease.attempt >= MAX_TRIES
    if (last) result = 'gave_up'
    if (last) return await whenReachable(() => giveUp(lease, reasonFor(error)), held)
    await whenReachable(() => release(lease, diskFailed ? 'disk' : 'failed'), held)
    throw error
  } finally {
    measureAttempt(result, startedAt)
    space.stop()
    stopRenewing()
    await removeWorkFolder(work)
  }
}

interface Attempt {
  /** Its work folder. */
  work: string
  /** Storage keys of the objects it has stored or started to store. */
  written: Set<string>
  signal: AbortSignal
  onLost: () => void
}

async function produce(lease: TranscodeLease, { work, written, signal, onLost }: Attempt): Promise<void> {
  const { videoId, sourceKey } = lease
  const source = await storage().localFile(sourceKey, signal)
  try {
    const facts = await probe(source.path, signal)
    const frameRate = facts.frameRate.value
    const renditions = ladder({ ...facts, frameRate }, lease.targetQuality)
    const topQuality = renditions[0]?.quality ?? lease.targetQuality
    if (!(await whenReachable(() => recordSourceFacts(lease, facts, topQuality), signal))) onLost()
    signal.throwIfAborted()
    const contentKey = lease.encrypted ? newContentKey() : undefined
    const store = segmentStore({ videoId, contentKey, written, keep: pictureRenditions(renditions), signal })
    const began = performance.now()
    const passing = AbortSignal.any([signal, store.failed])
    const onProgress = progressWriter(lease, onLost)
    const encoded = await encode({
      source: source.path,
      folder: work,
      facts,
      renditions,
      signal: passing,
      onProgress,
      onSegment: store.add,
    }).finally(() => store.settle())
    const tookSec = (performance.now() - began) / 1_000
    measureEncoding(facts.durationSec, tookSec)
    const note = (step: 'encode' | 'store', message: string) => whenReachable(() => recordStep(lease, step, message), signal)
    await note('encode', `Encoded ${renditions.map((rendition) => rendition.quality).join(', ')} in ${tookSec.toFixed(1)} s.`)
    const [pictures, stored] = await bothSettled(
      picturesOrNone(lease, { videoId, folder: work, encoded, written, signal }),
      store.finish(encoded, frameRate),
    )
    const megabytes = stored.reduce((sum, one) => sum + one.bytes, 0) / 1e6
    await note('store', `Stored ${contentKey ? 'encrypted' : 'unencrypted'}, ${megabytes.toFixed(1)} MB.`)
    const sealed = contentKey ? sealContentKey(contentKey, videoId) : null
    const result = { facts, renditions: stored, contentKey: sealed, pictures }
    // The response to an earlier write may have been lost.
    if (await whenReachable(async () => (await complete(lease, result)) || (await completedByLease(lease)), signal))
      await removeUnnamed(videoId, stored, [...pictures.candidates, ...(pictures.storyboard?.sheets ?? [])])
    else {
      onLost()
      signal.throwIfAborted()
    }
  } finally {
    await source.release()
  }
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

/**
 * Frees the storage of a failed attempt, as the disk may be full. Without the lease another worker may have stored the same
 * objects.
 */
async function removeWritten(lease: TranscodeLease, written: ReadonlySet<string>): Promise<void> {
  if (!(await holdsLease(lease))) return
  try {
    for (const key of written) await storage().delete(key)
  } catch (error) {
    // The attempt that completes the video removes them.
    log().warn({ err: error, videoId: lease.videoId }, 'objects of a failed attempt could not be removed')
  }
}

/**
 * Removes the segments of an attempt that lost its lease: keys of encrypted ones are unique to the attempt, others may be shared.
 */
async function removeOwn(lease: TranscodeLease, written: ReadonlySet<string>): Promise<void> {
  if (!lease.encrypted || (await completedByLease(lease))) return
  for (const key of written) if (key.startsWith(segmentPrefix(lease.videoId))) await storage().delete(key)
}

async function giveUp(lease: TranscodeLease, reason: string): Promise<void> {
  if (await fail(lease, reason)) await removeUnnamed(lease.videoId, [], [])
}

/** Returns a function that stores changed progress at most once a second and calls `onLost` when the lease is lost. */
function progressWriter(lease: TranscodeLease, onLost: () => void): (progress: Progress) => void {
  let written: Progress = { percent: 0, etaSec: null }
  let dueAt = 0
  return (progress) => {
    const now = performance.now()
    if (now < dueAt || (progress.percent === written.percent && progress.etaSec === written.etaSec)) return
    dueAt = now + 1_000
    written = progress
    recordProgress(lease, progress).then(
      (mine) => mine || onLost(),
      // A short outage of the database does not stop encoding; only the final write is required, and it is retried.
      (error: Error) => log().debug({ err: error.message }, 'progress could not be written'),
    )
  }
}
