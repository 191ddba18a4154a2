import type { LeftOutTrack } from '../plan/audio-tracks.ts'
import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import { frameTime, parseRate } from '../plan/segment-grid.ts'
import { timecode } from '../probe/source-fault.ts'
import type { ChunkResult, Span, StreamResult } from '../tasks/store.ts'

/** A part of the source that a stored video lacks, or that its source does not have in readable form. JSON in `video.damage`. */
export interface DamagedPart {
  part: 'picture' | 'audio' | 'captions'
  /** Name of the audio track, or of the caption tracks. Null for video. */
  track: string | null
  startSec: number
  endSec: number
  /** Why the video lacks the whole track. Absent for part of a track. */
  reason?: string
}

/** Shorter gaps are not reported, because sources with a varying frame rate have them too. */
const LEAST_SEC = 0.5

/** Returns the gaps between decoded spans, which are in order, from `fromSec` to `toSec`. */
export function gapsBetween(decoded: Iterable<Span>, { fromSec, toSec }: Span): Span[] {
  const gaps: Span[] = []
  let reached = fromSec
  const gap = (until: number) => {
    if (until - reached >= LEAST_SEC) gaps.push({ fromSec: reached, toSec: until })
  }
  for (const one of decoded) {
    gap(Math.min(one.fromSec, toSec))
    reached = Math.max(reached, one.toSec)
  }
  gap(toSec)
  return gaps
}

/** Returns where a chunk is in the video. */
export function spanOf({ facts }: TranscodePlan, { startFrame, expectedFrames }: Chunk): Span {
  const rate = parseRate(facts.frameRate.text)
  return { fromSec: frameTime(startFrame, rate), toSec: frameTime(startFrame + expectedFrames, rate) }
}

/** Returns a video's damage in order, joined across chunks. Results are in the order of the plan. */
export function damageOf(
  { facts }: { facts: { durationSec: number; audio: readonly { name: string }[]; leftOut?: readonly LeftOutTrack[] } },
  chunks: readonly Pick<ChunkResult, 'damage'>[],
  tracks: readonly Pick<StreamResult, 'damage'>[],
): DamagedPart[] {
  const picture = joined(chunks.flatMap(({ damage = [] }) => damage)).map((span) => damaged('picture', null, span))
  const sound = tracks.flatMap(({ damage = [] }, at) => joined(damage).map((span) => damaged('audio', facts.audio[at]?.name ?? '', span)))
  const whole = { fromSec: 0, toSec: facts.durationSec }
  const leftOut = (facts.leftOut ?? []).map(({ name, reason }) => ({ ...damaged('audio', name, whole), reason }))
  return [...picture, ...sound, ...leftOut]
}

const damaged = (part: DamagedPart['part'], track: string | null, { fromSec, toSec }: Span): DamagedPart => ({
  ...{ part, track },
  startSec: round(fromSec),
  endSec: round(toSec),
})
const round = (seconds: number) => Math.round(seconds * 1_000) / 1_000

function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = []
  for (const span of spans) {
    const last = all.at(-1)
    if (last && span.fromSec - last.toSec < LEAST_SEC) last.toSec = Math.max(last.toSec, span.toSec)
    else all.push({ ...span })
  }
  return all
}

/** Says what is wrong and what is shown instead, for the video's owner. */
export function describeDamage({ part, track, startSec, endSec, reason }: DamagedPart): string {
  if (reason) return part === 'captions' ? `The captions ${track} are missing: ${reason}.` : `The audio (${track}) is missing: ${reason}.`
  const between = `between ${timecode(startSec)} and ${timecode(endSec)}`
  return part === 'picture'
    ? `The video could not be decoded ${between}. A neighboring frame is shown instead.`
    : `The audio (${track}) could not be decoded ${between}. It is silent there.`
}
