import { db } from '../../../platform/database/database.ts'
import { joinPcm, SAMPLE_RATE, streamPcm } from '../../../platform/speech/pcm.ts'
import { LevelMeter } from '../../../platform/speech/speech-spans.ts'
import type { Span } from '../../../platform/speech/words.ts'
import { baseOf } from '../../videos/captions/captions.ts'
import { openContentKey } from '../encode/content-key.ts'
import { OWN_FORMAT } from '../encode/segment-files.ts'
import { readIntactSegment, type SegmentSource } from '../encode/stored-segments.ts'

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
          audio: { select: { position: true, language: true, isDefault: true, segments: true }, orderBy: { position: 'asc' } },
        },
      },
    },
  })
  if (!media) return undefined
  const { id: mediaId, encrypted, contentKey, audio } = media
  const spoken = audio.find((track) => language !== null && baseOf(track.language) === baseOf(language))
  const track = spoken ?? audio.find(({ isDefault }) => isDefault) ?? audio[0]
  if (!track) return undefined
  const segments = track.segments as [string, number][]
  return {
    source: {
      mediaId,
      contentKey: encrypted && contentKey ? openContentKey(contentKey, mediaId) : undefined,
      stream: `audio-${track.position}`,
    },
    segments,
    durationSec: segments.reduce((sum, [, durationSec]) => sum + durationSec, 0),
  }
}

const PIPED = [...OWN_FORMAT, '-i', 'pipe:0', '-map', '0:a:0', '-vn']
const NOTHING_ELSE = { reads: [], writes: [] }

/**
 * Returns the levels of the whole track (`LevelMeter`), from one pass, and which parts of it are damaged, in order. Errors: the storage's,
 * ProgramFailed.
 */
export async function measureLevels(audio: StoredAudio, signal: AbortSignal): Promise<{ levels: Float32Array; damaged: Span[] }> {
  const meter = new LevelMeter()
  const damaged = await decode(audio, { fromSec: 0, first: 0, last: audio.segments.length }, signal, (pcm) => meter.add(pcm))
  return { levels: meter.result(), damaged }
}

/**
 * Returns the samples of a part of the track, of which no more than that part is in memory; damaged parts are silent, and are listed.
 * Errors: as `measureLevels`.
 */
export async function readSpan(
  audio: StoredAudio,
  { fromSec, toSec }: Span,
  signal: AbortSignal,
): Promise<{ pcm: Float32Array; damaged: Span[] }> {
  const { segments } = audio
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
  const pieces: Float32Array[] = []
  const damaged = await decode(audio, { fromSec: startSec, first, last }, signal, (pcm) => pieces.push(pcm))
  const sampleAt = (sec: number) => Math.round(Math.max(0, sec - startSec) * SAMPLE_RATE)
  return { pcm: joinPcm(pieces).slice(sampleAt(fromSec), sampleAt(toSec)), damaged }
}

interface Part {
  /** Where its first segment begins. */
  fromSec: number
  /** Numbers of its segments; `last` is excluded. */
  first: number
  last: number
}

/**
 * Decodes segments in order, and calls `onPcm` with their samples. Damaged ones are silence of the same length, so that what follows keeps
 * its time; returns where they are.
 */
async function decode(audio: StoredAudio, part: Part, signal: AbortSignal, onPcm: (pcm: Float32Array) => void): Promise<Span[]> {
  const { source, segments } = audio
  const damaged: Span[] = []
  let [at, endSec, samples] = [part.first, part.fromSec, 0]
  const add = (pcm: Float32Array) => {
    samples += pcm.length
    onPcm(pcm)
  }
  const next = async () => {
    const [name = '', durationSec = 0] = segments[at] ?? []
    const body = await readIntactSegment(source, name, at)
    at += 1
    endSec += durationSec
    if (!body) damaged.push({ fromSec: endSec - durationSec, toSec: endSec })
    return body
  }
  async function* intactFrom(first: Buffer): AsyncGenerator<Buffer> {
    for (let body: Buffer | undefined = first; body; body = at < part.last ? await next() : undefined) yield body
  }
  while (at < part.last) {
    const first = await next()
    if (first) await streamPcm({ args: PIPED, input: intactFrom(first), only: NOTHING_ELSE, signal }, add)
    const missing = Math.round((endSec - part.fromSec) * SAMPLE_RATE) - samples
    if (missing > 0 && at < part.last) add(new Float32Array(missing))
  }
  return joined(damaged)
}

/** Returns spans with those that touch each other as one. */
function joined(spans: readonly Span[]): Span[] {
  const whole: Span[] = []
  for (const span of spans) {
    const before = whole.at(-1)
    if (before?.toSec === span.fromSec) before.toSec = span.toSec
    else whole.push({ ...span })
  }
  return whole
}
