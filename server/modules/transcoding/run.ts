import { rm } from 'node:fs/promises'
import { ProgramFailed } from '../../platform/ffmpeg.ts'
import { log } from '../../platform/log.ts'
import { notifications } from '../../platform/notifications.ts'
import { storage } from '../../platform/storage/storage.ts'
import { segmentPrefix } from '../videos/media-keys.ts'
import { removeMedia } from '../videos/purge.ts'
import {
  type Claim,
  complete,
  didComplete,
  fail,
  holdsClaim,
  isGone,
  LEASE_SEC,
  noteFacts,
  noteProgress,
  noteStep,
  release,
  takeClaim,
  type Which,
} from './claim.ts'
import { newContentKey, sealContentKey } from './content-key.ts'
import { encode, type Progress } from './encode.ts'
import { ladder } from './ladder.ts'
import { makePictures, NO_PICTURES, pictureRungs, type StoredPictures } from './pictures.ts'
import { probe } from './probe.ts'
import { keepLease } from './queue.ts'
import { isSourceRejected, SourceRejectedError } from './refusal.ts'
import { segmentStore } from './segment-store.ts'
import { SpaceGuard, waitForSpace } from './space.ts'
import { removeUnnamed } from './store.ts'
import { makeWorkFolder } from './work-folder.ts'

/** A file that stops the transcoder this often is given up. Interruptions by a shutdown do not count. */
export const MAX_TRIES = 3

const STOPPED = 'The transcoder stopped three times while working on this file. The file may be damaged: export it again and upload that.'
const FULL = 'The service ran out of disk space while working on this file. Tell your operator, and retry it once there is room.'
const MEMORY =
  'Transcoding this file takes more memory than one file may have here. Upload it with a smaller picture, or ask your operator to raise TRANSCODE_MEMORY_MB and retry it.'
const FAULT = 'Transcoding failed three times for a reason on our side. Retry it later; if it fails again, tell your operator the video id.'

/** Transcodes one video out of turn, if there is anything to do. */
export async function transcodeVideo(which: Which, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await waitForSpace(signal)
  const claim = await takeClaim(which)
  if (claim) await transcode(claim, signal)
}

/**
 * Transcodes a claimed video: PROCESSING → COMPLETED, or FAILED with a reason. Safe to run again at any point, also while another worker
 * still believes it has the video. Throws on interruption (after giving the video back) and on errors worth another try.
 */
export async function transcode(claim: Claim, signal: AbortSignal): Promise<void> {
  if (claim.attempt > MAX_TRIES) return giveUp(claim, STOPPED)

  const lost = new AbortController()
  const space = new SpaceGuard()
  const letGo = holdOn(claim, () => lost.abort())
  const written = new Set<string>()
  let work: string | undefined
  try {
    work = await makeWorkFolder(claim)
    await produce(claim, { work, written, signal: AbortSignal.any([signal, lost.signal, space.signal]), onLost: () => lost.abort() })
  } catch (error) {
    // Whoever took the video over, or deleted it, decides what becomes of it.
    if (lost.signal.aborted) return (await isGone(claim)) ? await removeMedia(claim) : await removeOwn(claim, written)
    if (isSourceRejected(error)) return await giveUp(claim, error.message)
    if (signal.aborted) {
      await release(claim, { counts: false })
      throw error
    }
    log().error({ err: error, videoId: claim.videoId, attempt: claim.attempt }, 'transcoding failed')
    await removeWritten(claim, written)
    if (claim.attempt >= MAX_TRIES) return await giveUp(claim, reasonFor(space.signal.reason ?? error))
    await release(claim, { counts: true })
    throw error
  } finally {
    space.stop()
    letGo()
    if (work) await rm(work, { recursive: true, force: true })
  }
}

const KEEP_MS = (LEASE_SEC * 1_000) / 3

/** Keeps the lease until the returned function is called, and notices when the claim is lost: at once when the video is deleted. */
function holdOn(claim: Claim, onLost: () => void): () => void {
  const keep = () =>
    keepLease(claim).then(
      (mine) => mine || onLost(),
      // The database being away for a moment is no reason to stop; a lease that ends meanwhile is found out by the next word from it.
      (error: Error) => log().debug({ err: error.message }, 'a lease was not kept'),
    )
  const timer = setInterval(keep, KEEP_MS)
  const unsubscribe = notifications().on('video-gone', (videoId) => void (videoId === claim.videoId && keep()))
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}

interface Try {
  /** Its folder. */
  work: string
  /** Storage keys of what it has stored, or begun to. */
  written: Set<string>
  signal: AbortSignal
  onLost: () => void
}

async function produce(claim: Claim, { work, written, signal, onLost }: Try): Promise<void> {
  const { videoId, sourceKey } = claim
  if (!(await storage().stat(sourceKey))) throw new SourceRejectedError('The uploaded file is no longer there. Upload it again.')
  const source = await storage().localFile(sourceKey)
  try {
    const facts = await probe(source.path, signal)
    const frameRate = facts.frameRate.value
    const rungs = ladder({ ...facts, frameRate }, claim.targetQuality)
    if (!(await noteFacts(claim, facts, rungs[0]?.quality ?? claim.targetQuality))) onLost()
    signal.throwIfAborted()
    const contentKey = claim.encrypted ? newContentKey() : undefined
    const store = segmentStore({ videoId, contentKey, written, keep: pictureRungs(rungs), signal })
    const began = performance.now()
    const passing = AbortSignal.any([signal, store.failed])
    const onProgress = progressWriter(claim, onLost)
    const encoded = await encode({
      source: source.path,
      folder: work,
      facts,
      rungs,
      signal: passing,
      onProgress,
      onSegment: store.add,
    }).finally(() => store.settle())
    const tookSec = (performance.now() - began) / 1_000
    await noteStep(claim, 'encode', `Encoded ${rungs.map((rung) => rung.quality).join(', ')} in ${tookSec.toFixed(1)} s.`)
    const [pictures, stored] = await both(
      picturesOrNone(claim, { videoId, folder: work, encoded, written, signal }),
      store.finish(encoded, frameRate),
    )
    const megabytes = stored.reduce((sum, one) => sum + one.bytes, 0) / 1e6
    await noteStep(claim, 'store', `Stored ${contentKey ? 'encrypted' : 'unencrypted'}, ${megabytes.toFixed(1)} MB.`)
    const sealed = contentKey ? sealContentKey(contentKey, videoId) : null
    if (await complete(claim, { facts, rungs: stored, contentKey: sealed, pictures }))
      await removeUnnamed(videoId, stored, [...pictures.candidates, ...(pictures.storyboard?.sheets ?? [])])
    else {
      onLost()
      signal.throwIfAborted()
    }
  } finally {
    await source.release()
  }
}

/** Longest that drawing may take; a film of a day takes a few minutes. */
const PICTURES_MS = 30 * 60_000

/** A film is worth having without its pictures. A full disk fails it: its segments found room, but what comes next would not. */
async function picturesOrNone(claim: Claim, input: Parameters<typeof makePictures>[0]): Promise<StoredPictures> {
  try {
    return await makePictures({ ...input, signal: AbortSignal.any([input.signal, AbortSignal.timeout(PICTURES_MS)]) })
  } catch (error) {
    if (input.signal.aborted || isDiskFull(error)) throw error
    log().error({ err: error, videoId: claim.videoId }, 'posters and seek previews could not be made')
    await noteStep(
      claim,
      'store',
      'Posters and seek previews could not be made. The video plays without them; upload a poster of your own.',
    )
    return NO_PICTURES
  }
}

/** Two results. Both have ended before a failure is told: whoever cleans up then meets no latecomer. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return [await a, await b]
}

/** Frees the room a failed try took; the disk may be full of it. Without the claim somebody else may have stored the same. */
async function removeWritten(claim: Claim, written: ReadonlySet<string>): Promise<void> {
  if (!(await holdsClaim(claim))) return
  for (const key of written) await storage().delete(key)
}

/** Of a try that lost its video: what stands under a key of its own is nobody else's. What is not encrypted may be another try's too. */
async function removeOwn(claim: Claim, written: ReadonlySet<string>): Promise<void> {
  if (!claim.encrypted || (await didComplete(claim))) return
  for (const key of written) if (key.startsWith(segmentPrefix(claim.videoId))) await storage().delete(key)
}

const isDiskFull = (error: unknown) =>
  ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? '') ||
  (error instanceof ProgramFailed && /No space left on device|Disk quota exceeded|File too large/.test(error.output))

function reasonFor(error: unknown): string {
  if (isDiskFull(error)) return FULL
  return error instanceof ProgramFailed && error.outOfMemory ? MEMORY : FAULT
}

async function giveUp(claim: Claim, reason: string): Promise<void> {
  if (await fail(claim, reason)) await removeUnnamed(claim.videoId, [], [])
}

/** Writes progress at most once a second, and only when it changed. Notices when the claim was lost. */
function progressWriter(claim: Claim, onLost: () => void): (progress: Progress) => void {
  let written: Progress = { percent: 0, etaSec: null }
  let dueAt = 0
  return (progress) => {
    const now = performance.now()
    if (now < dueAt || (progress.percent === written.percent && progress.etaSec === written.etaSec)) return
    dueAt = now + 1_000
    written = progress
    noteProgress(claim, progress).then(
      (mine) => mine || onLost(),
      // The database being away for a moment is no reason to stop encoding; the end of it must be written, and is tried again.
      (error: Error) => log().debug({ err: error.message }, 'progress was not written'),
    )
  }
}
