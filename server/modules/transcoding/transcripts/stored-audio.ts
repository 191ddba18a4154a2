import { db } from '../../../platform/database/database.ts'
import { readPcm, SAMPLE_RATE, streamPcm } from '../../../platform/speech/pcm.ts'
import { LevelMeter, speechSpans } from '../../../platform/speech/speech-spans.ts'
import type { Span } from '../../../platform/speech/words.ts'
import { baseOf } from '../../videos/captions/captions.ts'
import { openContentKey } from '../encode/content-key.ts'
import { OWN_FORMAT } from '../encode/segment-files.ts'
import { readPlainSegment, type SegmentSource } from '../encode/stored-segments.ts'

/** The audio of a video as it is stored and played: its times are the picture's, whatever layout, rate and start the source has. */
export interface StoredAudio {
  source: SegmentSource
  segments: readonly [name: string, durationSec: number][]
  durationSec: number
}

/**
 * Returns the audio of what a video plays: the track in the wanted language, else the default one. Undefined if the video has no audio.
 */
export async function storedAudio({ videoId, language }: { videoId: string; language: string | null }): Promise<StoredAudio | undefined> {
  const { media } = await db().video.findUniqueOrThrow({
    where: { id: videoId },
    select: {
      media: {
        select: {
          ...{ id: true, encrypted: true, contentKey: true },
          audio: { select: { language: true, isDefault: true, segments: true }, orderBy: { position: 'asc' } },
          renditions: { where: { codecs: { contains: 'mp4a' } }, select: { segments: true }, orderBy: { bandwidth: 'asc' }, take: 1 },
        },
      },
    },
  })
  if (!media) return undefined
  const { id: mediaId, encrypted, contentKey, audio, renditions } = media
  const spoken = audio.find((track) => language !== null && baseOf(track.language) === baseOf(language))
  // Videos of early versions have it in their renditions.
  const track = spoken ?? audio.find(({ isDefault }) => isDefault) ?? audio[0] ?? renditions[0]
  if (!track) return undefined
  const segments = track.segments as [string, number][]
  return {
    source: { mediaId, contentKey: encrypted && contentKey ? openContentKey(contentKey, mediaId) : undefined },
    segments,
    durationSec: segments.reduce((sum, [, durationSec]) => sum + durationSec, 0),
  }
}

const PIPED = [...OWN_FORMAT, '-i', 'pipe:0', '-map', '0:a:0', '-vn']
const NOTHING_ELSE = { reads: [], writes: [] }

/** Returns where somebody may be speaking, from one pass over the whole track. Errors: the storage's, ProgramFailed. */
export async function findSpeech({ source, segments }: StoredAudio, signal: AbortSignal): Promise<Span[]> {
  const meter = new LevelMeter()
  const input = plainPart(source, segments, 0)
  await streamPcm({ args: PIPED, input, only: NOTHING_ELSE, signal }, (pcm) => meter.add(pcm))
  return speechSpans(meter.result())
}

/** Returns the samples of a part of the track, of which no more than that part is in memory. Errors: as `findSpeech`. */
export async function readSpan({ source, segments }: StoredAudio, { fromSec, toSec }: Span, signal: AbortSignal): Promise<Float32Array> {
  let startSec = 0
  let first = 0
  for (const [, durationSec] of segments) {
    if (startSec + durationSec > fromSec) break
    startSec += durationSec
    first += 1
  }
  let endSec = startSec
  let last = first
  while (endSec < toSec && last < segments.length) {
    endSec += segments[last]?.[1] ?? 0
    last += 1
  }
  const input = plainPart(source, segments.slice(first, last), first)
  const pcm = await readPcm({ args: PIPED, input, only: NOTHING_ELSE, signal })
  const sampleAt = (sec: number) => Math.round(Math.max(0, sec - startSec) * SAMPLE_RATE)
  return pcm.slice(sampleAt(fromSec), sampleAt(toSec))
}

/** Yields plain segments, of which the first has the media sequence number `first`. */
async function* plainPart(source: SegmentSource, segments: StoredAudio['segments'], first: number): AsyncGenerator<Buffer> {
  for (const [at, [name]] of segments.entries()) yield await readPlainSegment(source, name, first + at)
}
