import { AUDIO_RATE } from '../../transcoding/encode/encode-audio.ts'
import { segmentLengths } from '../../transcoding/plan/copy-plan.ts'
import { parseRate } from '../../transcoding/plan/segment-grid.ts'
import { measureRates, targetDuration } from '../../transcoding/quality/measure-rates.ts'
import { lastingTarget, segmentList } from '../segments/segment-list.ts'
import type { AudioStream, RenditionStream } from './media-streams.ts'

/** What playlists need from the plan in `transcode_queue.plan`. */
export interface GrowingPlan {
  facts: {
    frameRate: { text: string; value: number }
    audio: { language: string | null; name: string; isDefault: boolean }[]
  }
  /** Highest first. Rates in bits per second. */
  renditions: { quality: string; width: number; height: number; maxVideoRate: number }[]
  segmentSec: number
  chunks: { position: number }[]
  /** How the first rendition is copied from the source. Absent if it is encoded. */
  copy?: { starts: number[]; frames: number; peakRate: number; dropped?: true }
}

type StoredSegment = [name: string, seconds: number, bytes: number]
interface Encoded {
  codecs: string
  segments: StoredSegment[]
}

interface VideoResult {
  renditions: Record<string, Encoded>
  closedCaptions?: string[]
}

/** A row of `transcode_task` with a result. */
export type TaskResult =
  | { kind: 'video'; position: number; result: VideoResult }
  | { kind: 'copy' | 'audio'; position: number; result: Encoded }

/** MPEG-TS packets add up to a tenth to the encoder's limit. */
const OVERHEAD = 1.1

/**
 * Returns the streams of a video being transcoded, as far as they play without a gap: for each rendition, the chunks up to the first
 * missing one; for a copied one and each audio track, what is stored. Leaves out streams without a segment. Rates come from the encoder's
 * limits until all segments are known.
 */
export function growingStreams(
  plan: GrowingPlan,
  results: readonly TaskResult[],
  base: string,
): { renditions: RenditionStream[]; audio: AudioStream[]; closedCaptions: string[] } {
  const { facts, segmentSec, copy } = plan
  const soundTarget = lastingTarget(segmentSec, facts.frameRate.value)
  const target = Math.max(soundTarget, copy ? targetDuration(segmentLengths(copy, parseRate(facts.frameRate.text))) : 0)
  const rates = (limit: number, segments: StoredSegment[]) => ({
    bandwidth: Math.max(
      Math.round(limit * OVERHEAD),
      measureRates(segments.map(([, durationSec, bytes]) => ({ durationSec, bytes }))).bandwidth,
    ),
    averageBandwidth: undefined,
  })
  const chunks = prefixOf(plan, results)
  const copied = results.find((one) => one.kind === 'copy')?.result as Encoded | undefined
  const pictures = chunks.map((chunk) => chunk.renditions)
  const renditions = plan.renditions.flatMap(({ quality, width, height, maxVideoRate }, at) => {
    const isCopied = copy && !copy.dropped && at === 0
    // What was copied stays listed until the video is complete: a list only ever grows.
    const parts = isCopied ? (copied ? [copied] : []) : encodedIn(pictures, quality)
    const segments = parts.flatMap((part) => part.segments)
    const [first] = parts
    if (!first || segments.length === 0) return []
    const picture = { codec: 'h264' as const, quality, width, height, frameRate: facts.frameRate.value, codecs: first.codecs }
    return [{ ...picture, ...rates(isCopied ? copy.peakRate : maxVideoRate, segments), ...segmentList(segments, base, target) }]
  })
  const audio = facts.audio.flatMap(({ language, name, isDefault }, position) => {
    const stored = results.find((one) => one.kind === 'audio' && one.position === position)?.result as Encoded | undefined
    if (!stored || stored.segments.length === 0) return []
    const sound = { language, name, isDefault, position, channels: 2, codecs: stored.codecs }
    return [{ ...sound, ...rates(AUDIO_RATE, stored.segments), ...segmentList(stored.segments, base, soundTarget) }]
  })
  const closedCaptions = [...new Set(chunks.flatMap((chunk) => chunk.closedCaptions ?? []))].sort()
  return { renditions, audio, closedCaptions }
}

/** Returns the results of the chunks before the first one without a result, in order. */
function prefixOf(plan: GrowingPlan, results: readonly TaskResult[]): VideoResult[] {
  const done = new Map(results.flatMap((one) => (one.kind === 'video' ? [[one.position, one.result] as const] : [])))
  const missing = plan.chunks.findIndex(({ position }) => !done.has(position))
  const found = missing < 0 ? plan.chunks : plan.chunks.slice(0, missing)
  return found.map(({ position }) => done.get(position) as VideoResult)
}

/** Returns a rendition's part of each chunk, up to the first chunk without one. */
function encodedIn(chunks: Record<string, Encoded>[], quality: string): Encoded[] {
  const missing = chunks.findIndex((chunk) => !chunk[quality])
  return (missing < 0 ? chunks : chunks.slice(0, missing)).map((chunk) => chunk[quality] as Encoded)
}
