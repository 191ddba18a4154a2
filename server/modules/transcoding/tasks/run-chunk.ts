import { storage } from '../../../platform/storage/storage.ts'
import { openContentKey } from '../encode/content-key.ts'
import { despiteDamage } from '../encode/damaged-chunk.ts'
import { chunkPatience, encodeChunk } from '../encode/encode-chunk.ts'
import { fragmentsOf } from '../encode/fragmented-mp4.ts'
import { inTime } from '../encode/in-time.ts'
import { segmentStore, storeRenditions } from '../encode/segment-store.ts'
import { planWithoutCopy } from '../plan/plan-video.ts'
import type { Attempt } from './attempt.ts'
import { storeOrLose, type TranscodeLease } from './lease.ts'
import { measureEncoding } from './metrics.ts'
import { progressWriter } from './progress-writer.ts'
import type { ChunkResult } from './store.ts'
import { storeResult } from './task-writes.ts'

/** Encodes one chunk in every rendition. Returns the lease of what the worker continues with after a change of plan. */
export async function encodeVideoChunk(lease: TranscodeLease, attempt: Attempt): Promise<TranscodeLease | undefined> {
  const { mediaId, position, sourceKey, sealedKey, plan } = lease
  const { work, written, signal, onLost } = attempt
  const chunk = plan?.chunks[position]
  if (!plan || !chunk) throw new Error(`the plan of ${mediaId} has no chunk ${position}`)
  const contentKey = sealedKey ? openContentKey(sealedKey, mediaId) : undefined
  const progress = progressWriter(lease, onLost)
  const source = await storage().localFile(sourceKey, signal)
  try {
    const began = performance.now()
    // All passes together: a damaged file may take as many as it has chunks.
    const { encoded, store, damage } = await inTime({ ms: chunkPatience(plan, chunk), stopping: signal }, (limited) => {
      const input = { source: source.path, folder: work, plan, chunk, signal: limited, isLast: attempt.isLast }
      return despiteDamage(input, async (pass) => {
        const fragments = fragmentsOf(plan, pass.chunk, pass.folder)
        const captionsIn = plan.renditions.at(-1)?.quality
        const own = segmentStore({ mediaId, contentKey, codec: plan.codec, written, captionsIn, fragments, signal })
        const running = AbortSignal.any([limited, own.failed])
        const done = encodeChunk({ ...pass, signal: running, onProgress: progress.note, onSegment: own.add })
        return { encoded: await done.finally(() => own.settle()), store: own }
      })
    })
    await progress.stop()
    // Players get a copy's packets as they are, and not every decoder conceals what ffmpeg does.
    if (plan.copy?.kept && (encoded.damaged || damage.length > 0))
      return await planWithoutCopy(lease, { source: source.path, reason: 'Part of the file is damaged.' }, attempt)
    if (!plan.codec) measureEncoding(encoded.frames / plan.facts.frameRate.value, (performance.now() - began) / 1_000)
    const renditions = await storeRenditions(store, encoded.renditions, chunk.firstSegment)
    const result: ChunkResult = { frames: encoded.frames, renditions, ...(damage.length > 0 && { damage }) }
    if (encoded.encoder) result.encoder = encoded.encoder
    const closedCaptions = store.closedCaptions()
    if (closedCaptions.length > 0) result.closedCaptions = closedCaptions
    await storeOrLose(() => storeResult(lease, result), attempt)
    return undefined
  } finally {
    await progress.stop()
    await source.release()
  }
}
