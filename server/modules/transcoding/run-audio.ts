import { log } from '../../platform/log.ts'
import { storage } from '../../platform/storage/storage.ts'
import { untraced } from '../../platform/tracing.ts'
import type { Attempt } from './attempt.ts'
import { openContentKey } from './content-key.ts'
import { trackDespiteDamage } from './damaged-track.ts'
import { AUDIO_CODECS, encodeAudio } from './encode-audio.ts'
import type { TranscodeLease } from './lease.ts'
import { progressWriter, storeOrLose } from './run-chunk.ts'
import { numbered, type PlainSegment, segmentStore } from './segment-store.ts'
import type { AudioResult } from './task-result.ts'
import { storeAudioSoFar } from './task-writes.ts'

const SO_FAR_MS = 1_000

/** Encodes one track of sound as a whole. Returns the lease of `finish` if it was the last task of the video. */
export async function encodeTrack(lease: TranscodeLease, attempt: Attempt): Promise<TranscodeLease | undefined> {
  const { videoId, position, sourceKey, sealedKey, plan } = lease
  const { work, written, signal, onLost } = attempt
  const track = plan?.facts.audio[position]
  if (!plan || !track) throw new Error(`the plan of ${videoId} has no track ${position}`)
  const contentKey = sealedKey ? openContentKey(sealedKey, videoId) : undefined
  const stream = `audio-${position}`
  const source = await storage().localFile(sourceKey, signal)
  let listed = (): AudioResult['segments'] => []
  const soFar = soFarWriter(lease, () => ({ codecs: AUDIO_CODECS, segments: listed() }), onLost)
  try {
    const input = { source: source.path, folder: work, plan, track, signal, isLast: attempt.isLast }
    const { encoded, store, damage } = await trackDespiteDamage(input, async (pass) => {
      const segments: PlainSegment[] = []
      const own = segmentStore({ videoId, contentKey, written, signal })
      listed = () => own.soFar(stream, segments)
      const done = encodeAudio({
        ...{ source: source.path, plan, ...pass },
        signal: AbortSignal.any([signal, own.failed]),
        onProgress: progressWriter(lease, onLost),
        onSegment: (sequence, segment) => {
          segments.push({ ...segment, sequence })
          own.add(stream, sequence, segment.path)
        },
      })
      return { encoded: await done.finally(() => own.settle()), store: own }
    })
    soFar.stop()
    const stored = await store.finish(stream, numbered(encoded.segments, 0))
    const result: AudioResult = { codecs: encoded.codecs, segments: stored, ...(damage.length > 0 && { damage }) }
    return await storeOrLose(lease, result, attempt)
  } finally {
    soFar.stop()
    await source.release()
  }
}

/** Stores every second which segments players may fetch already. */
function soFarWriter(lease: TranscodeLease, read: () => AudioResult, onLost: () => void): { stop(): void } {
  let known = 0
  const timer = setInterval(() => {
    const result = read()
    if (result.segments.length === known) return
    known = result.segments.length
    untraced(() => storeAudioSoFar(lease, result)).then(
      (mine) => mine || onLost(),
      (error: Error) => log().debug({ err: error.message }, 'segments of a track could not be listed'),
    )
  }, SO_FAR_MS)
  return { stop: () => clearInterval(timer) }
}
