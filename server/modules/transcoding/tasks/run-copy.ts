import { log } from '../../../platform/observe/log.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { openContentKey } from '../encode/content-key.ts'
import { copySource } from '../encode/copy-source.ts'
import { numbered, type PlainSegment, segmentStore } from '../encode/segment-store.ts'
import { isDiskFault, storageFault } from '../faults.ts'
import { planWithoutCopy } from '../plan/plan-video.ts'
import { isSourceRejected } from '../probe/source-fault.ts'
import type { Attempt } from './attempt.ts'
import { storeOrLose, type TranscodeLease } from './lease.ts'
import { progressWriter } from './progress-writer.ts'
import { soFarWriter } from './so-far.ts'
import type { StreamResult } from './store.ts'
import { storeResult } from './task-writes.ts'

/** Copies the top rendition from the source. Returns the lease of what the worker continues with after a change of plan. */
export async function copyRendition(lease: TranscodeLease, attempt: Attempt): Promise<TranscodeLease | undefined> {
  const { mediaId, sourceKey, sealedKey, plan } = lease
  const { work, written, signal, onLost } = attempt
  const [top] = plan?.renditions ?? []
  if (!plan?.copy || !top) throw new Error(`the plan of ${mediaId} has no copy`)
  const { copy } = plan
  const contentKey = sealedKey ? openContentKey(sealedKey, mediaId) : undefined
  const source = await storage().localFile(sourceKey, signal)
  const segments: PlainSegment[] = []
  let codecs = ''
  const store = segmentStore({ mediaId, contentKey, written, signal })
  const soFar = soFarWriter(lease, () => ({ codecs, segments: store.soFar(top.quality, segments) }), onLost)
  const progress = progressWriter(lease, onLost)
  const stop = () => Promise.all([soFar.stop(), progress.stop()])
  try {
    const copied = await copySource({
      source: source.path,
      folder: work,
      plan,
      copy,
      signal: AbortSignal.any([signal, store.failed]),
      onSegment: (sequence, segment, stated) => {
        codecs = stated
        segments.push({ ...segment, sequence })
        store.add(top.quality, sequence, segment.path)
        progress.note(segments.length / copy.starts.length)
      },
    }).finally(() => store.settle())
    await stop()
    const result: StreamResult = { codecs: copied.codecs, segments: await store.finish(top.quality, numbered(copied.segments, 0)) }
    await storeOrLose(() => storeResult(lease, result), attempt)
    return undefined
  } catch (error) {
    const isFinal = attempt.isLast || isSourceRejected(error)
    if (!isFinal || signal.aborted || isDiskFault(error) || (await storageFault(error))) throw error
    log().warn({ err: error, videoId: lease.videoId }, 'could not copy a rendition from its source; encoding it')
    await stop()
    return await planWithoutCopy(lease, { source: source.path, reason: 'We could not copy the file.' }, attempt)
  } finally {
    await stop()
    await source.release()
  }
}
