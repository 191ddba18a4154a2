import { storage } from '../../../platform/storage/storage.ts'
import { openContentKey } from '../encode/content-key.ts'
import { trackDespiteDamage } from '../encode/damaged-track.ts'
import { AUDIO_CODECS, encodeAudio, trackPatience } from '../encode/encode-audio.ts'
import { inTime } from '../encode/in-time.ts'
import { numbered, type PlainSegment, segmentStore } from '../encode/segment-store.ts'
import type { Attempt } from './attempt.ts'
import { storeOrLose, type TranscodeLease } from './lease.ts'
import { progressWriter } from './progress-writer.ts'
import { soFarWriter } from './so-far.ts'
import type { StreamResult } from './store.ts'
import { storeResult } from './task-writes.ts'

/** Encodes one whole audio track. */
export async function encodeTrack(lease: TranscodeLease, attempt: Attempt): Promise<undefined> {
  const { mediaId, position, sourceKey, sealedKey, plan } = lease
  const { work, written, signal, onLost } = attempt
  const track = plan?.facts.audio[position]
  if (!plan || !track) throw new Error(`the plan of ${mediaId} has no track ${position}`)
  const contentKey = sealedKey ? openContentKey(sealedKey, mediaId) : undefined
  const stream = `audio-${position}`
  const progress = progressWriter(lease, onLost)
  const source = await storage().localFile(sourceKey, signal)
  let listed = (): StreamResult['segments'] => []
  const soFar = soFarWriter(lease, () => ({ codecs: AUDIO_CODECS, segments: listed() }), onLost)
  try {
    const { encoded, store, damage } = await inTime({ ms: trackPatience(plan), stopping: signal }, (limited) => {
      const input = { source: source.path, folder: work, plan, track, signal: limited, isLast: attempt.isLast }
      return trackDespiteDamage(input, async (pass) => {
        const segments: PlainSegment[] = []
        const own = segmentStore({ mediaId, contentKey, written, signal })
        listed = () => own.soFar(stream, segments)
        const done = encodeAudio({
          ...{ source: source.path, plan, ...pass },
          signal: AbortSignal.any([limited, own.failed]),
          onProgress: progress.note,
          onSegment: (sequence, segment) => {
            segments.push({ ...segment, sequence })
            own.add(stream, sequence, segment.path)
          },
        })
        return { encoded: await done.finally(() => own.settle()), store: own }
      })
    })
    await Promise.all([soFar.stop(), progress.stop()])
    const stored = await store.finish(stream, numbered(encoded.segments, 0))
    const result: StreamResult = { codecs: encoded.codecs, segments: stored, ...(damage.length > 0 && { damage }) }
    await storeOrLose(() => storeResult(lease, result), attempt)
  } finally {
    await Promise.all([soFar.stop(), progress.stop()])
    await source.release()
  }
}
