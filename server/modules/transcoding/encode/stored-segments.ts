import { storage } from '../../../platform/storage/storage.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { decryptSegment } from './segment-store.ts'

/** Where stored segments can be read in plain form. */
export interface SegmentSource {
  mediaId: string
  /** Undefined if the video is not encrypted. */
  contentKey: Uint8Array | undefined
}

/** Returns a segment as it is stored. */
async function readStoredSegment(mediaId: string, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  // The port may reuse a chunk's memory.
  for await (const part of storage().read(segmentKey(mediaId, name))) parts.push(Uint8Array.from(part))
  return Buffer.concat(parts)
}

/** Returns a stored segment in plain form. `sequence` is its media sequence number. */
export async function readPlainSegment({ mediaId, contentKey }: SegmentSource, name: string, sequence: number): Promise<Buffer> {
  const body = await readStoredSegment(mediaId, name)
  return contentKey ? decryptSegment(body, contentKey, sequence) : body
}

/** Yields the plain segments of a list in order. */
export async function* plainSegments(
  source: SegmentSource,
  segments: readonly [name: string, durationSec: number][],
): AsyncGenerator<Buffer> {
  for (const [sequence, [name]] of segments.entries()) yield await readPlainSegment(source, name, sequence)
}
