import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import type { ChunkResult, StoredSegment, StreamResult } from '../tasks/store.ts'
import { copySource } from './copy-source.ts'
import { despiteDamage } from './damaged-chunk.ts'
import { trackDespiteDamage } from './damaged-track.ts'
import { encodeAudio } from './encode-audio.ts'
import { encodeChunk } from './encode-chunk.ts'
import type { EncodedSegment } from './encoded.ts'
import { fragmentsOf, type PrepareFragment } from './fragmented-mp4.ts'
import { numbered, type SegmentStore, segmentStore, storeRenditions } from './segment-store.ts'

interface Input {
  mediaId: string
  contentKey: Uint8Array | undefined
  source: string
  folder: string
  plan: TranscodePlan
  signal: AbortSignal
  /** Which chunks and tracks to encode. Defaults to all. */
  wantsChunk?: (chunk: Chunk) => boolean
  wantsTrack?: (position: number) => boolean
  /** Whether to copy the rendition that stays copied. Defaults to yes. */
  wantsCopy?: boolean
  /** Streams to store (qualities, `audio-<position>`). Undefined: all. */
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

/** Encodes and stores a plan, or part of it, in this process alone. Workers lease its tasks instead. */
export async function encodePlan({
  wantsChunk = () => true,
  wantsTrack = () => true,
  wantsCopy = true,
  only,
  ...input
}: Input): Promise<EncodedPlan> {
  const { mediaId, contentKey, source, folder, plan, signal } = input
  const encoded: EncodedPlan = { chunks: [], tracks: [], segments: [] }
  const note = (stream: string, first: number, segments: readonly StoredSegment[]) =>
    encoded.segments.push({ stream, first, names: segments.map(([name]) => name) })
  /** Runs one pass with a store of its own. */
  const withStore = async <Encoded>(
    encode: (store: SegmentStore, signal: AbortSignal) => Promise<Encoded>,
    fragments?: PrepareFragment,
  ) => {
    const store = segmentStore({ mediaId, contentKey, codec: plan.codec, ...(only && { only }), fragments, signal })
    const done = encode(store, AbortSignal.any([signal, store.failed]))
    return { encoded: await done.finally(() => store.settle()), store }
  }
  const task = { source, folder, plan, signal, isLast: true }
  const onProgress = () => {}
  for (const chunk of plan.chunks.filter(wantsChunk)) {
    const { encoded: picture, store } = await despiteDamage({ ...task, chunk }, (pass) =>
      withStore(
        ({ add }, running) => encodeChunk({ ...pass, signal: running, onProgress, onSegment: add }),
        fragmentsOf(plan, pass.chunk, pass.folder),
      ),
    )
    const renditions = await storeRenditions(store, picture.renditions, chunk.firstSegment)
    for (const [quality, { segments }] of Object.entries(renditions)) note(quality, chunk.firstSegment, segments)
    const result: ChunkResult = { frames: picture.frames, renditions, ...(picture.encoder && { encoder: picture.encoder }) }
    encoded.chunks.push(result)
  }
  const { copy } = plan
  const [top] = plan.renditions
  if (copy?.kept && top && wantsCopy) {
    const { encoded: picture, store } = await withStore(({ add }, running) => {
      const onSegment = (sequence: number, { path }: EncodedSegment) => add(top.quality, sequence, path)
      return copySource({ source, folder, plan, copy, signal: running, onSegment })
    })
    const segments = await store.finish(top.quality, numbered(picture.segments, 0))
    encoded.copied = { codecs: picture.codecs, segments }
    note(top.quality, 0, segments)
  }
  for (const [position, track] of plan.facts.audio.entries()) {
    if (!wantsTrack(position)) continue
    const stream = `audio-${position}`
    const { encoded: audio, store } = await trackDespiteDamage({ ...task, track }, (pass) =>
      withStore(({ add }, running) => {
        const onSegment = (sequence: number, { path }: EncodedSegment) => add(stream, sequence, path)
        return encodeAudio({ source, plan, ...pass, signal: running, onProgress, onSegment })
      }),
    )
    const segments = await store.finish(stream, numbered(audio.segments, 0))
    encoded.tracks.push({ codecs: audio.codecs, segments })
    note(stream, 0, segments)
  }
  return encoded
}
