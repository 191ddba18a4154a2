import { copySource } from './copy-source.ts'
import { encodeAudio } from './encode-audio.ts'
import { encodeChunk } from './encode-chunk.ts'
import type { EncodedSegment } from './encoded.ts'
import type { Chunk, TranscodePlan } from './plan.ts'
import { numbered, type SegmentStore, segmentStore } from './segment-store.ts'
import type { ChunkResult, StoredSegment, StreamResult } from './task-result.ts'

interface Input {
  videoId: string
  contentKey: Uint8Array | undefined
  source: string
  folder: string
  plan: TranscodePlan
  signal: AbortSignal
  /** Which chunks and tracks to encode; by default all. */
  wantsChunk?: (chunk: Chunk) => boolean
  wantsTrack?: (position: number) => boolean
  /** Whether to copy the rendition that stays as it is copied; by default yes. */
  wantsCopy?: boolean
  /** Streams to store (qualities, `audio-<position>`); undefined: all. */
  only?: ReadonlySet<string>
}

/** What was encoded and stored: results in order, and the segments by stream. */
export interface EncodedPlan {
  chunks: ChunkResult[]
  tracks: StreamResult[]
  copied?: StreamResult
  /** `first`: media sequence number of the first name. */
  segments: { stream: string; first: number; names: string[] }[]
}

/** Encodes and stores a plan, or some of it, in this process alone. Workers lease its tasks instead. */
export async function encodePlan({
  wantsChunk = () => true,
  wantsTrack = () => true,
  wantsCopy = true,
  only,
  ...input
}: Input): Promise<EncodedPlan> {
  const { videoId, contentKey, source, folder, plan, signal } = input
  const encoded: EncodedPlan = { chunks: [], tracks: [], segments: [] }
  const note = (stream: string, first: number, segments: readonly StoredSegment[]) =>
    encoded.segments.push({ stream, first, names: segments.map(([name]) => name) })
  const withStore = async <Result>(encode: (store: SegmentStore, signal: AbortSignal) => Promise<Result>): Promise<Result> => {
    const store = segmentStore({ videoId, contentKey, ...(only && { only }), signal })
    return encode(store, AbortSignal.any([signal, store.failed])).finally(() => store.settle())
  }
  const { copy } = plan
  const [top] = plan.renditions
  if (copy?.kept && top && wantsCopy)
    await withStore(async (store, running) => {
      const onSegment = (sequence: number, { path }: EncodedSegment) => store.add(top.quality, sequence, path)
      const { codecs, segments } = await copySource({ source, folder, plan, copy, signal: running, onSegment })
      encoded.copied = { codecs, segments: await store.finish(top.quality, numbered(segments, 0)) }
      note(top.quality, 0, encoded.copied.segments)
    })
  for (const chunk of plan.chunks.filter(wantsChunk))
    await withStore(async (store, running) => {
      const onSegment = store.add
      const { frames, renditions } = await encodeChunk({ source, folder, plan, chunk, signal: running, onProgress: () => {}, onSegment })
      const result: ChunkResult = { frames, renditions: {} }
      for (const { spec, codecs, segments } of renditions) {
        const stored = await store.finish(spec.quality, numbered(segments, chunk.firstSegment))
        result.renditions[spec.quality] = { codecs, segments: stored }
        note(spec.quality, chunk.firstSegment, stored)
      }
      encoded.chunks.push(result)
    })
  for (const [position, track] of plan.facts.audio.entries()) {
    if (!wantsTrack(position)) continue
    await withStore(async (store, running) => {
      const stream = `audio-${position}`
      const onSegment = (sequence: number, { path }: EncodedSegment) => store.add(stream, sequence, path)
      const audio = await encodeAudio({ source, folder, plan, track, signal: running, onProgress: () => {}, onSegment })
      const segments = await store.finish(stream, numbered(audio.segments, 0))
      encoded.tracks.push({ codecs: audio.codecs, segments })
      note(stream, 0, segments)
    })
  }
  return encoded
}
