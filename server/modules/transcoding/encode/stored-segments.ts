import { storage } from '../../../platform/storage/storage.ts'
import { isStorageError } from '../../../platform/storage/storage-error.ts'
import { recordFault } from '../../videos/media-faults.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { streamKey } from './content-key.ts'
import { contentName, decryptSegment } from './segment-store.ts'

/** Media whose stored segments can be read in plain form. */
export interface MediaSource {
  mediaId: string
  /** Undefined if the video is not encrypted. */
  contentKey: Uint8Array | undefined
}

/** One stream of it, by its name in `segment_list`. */
export interface SegmentSource extends MediaSource {
  stream: string
}

/** Returns a segment as it is stored. */
async function readStoredSegment(mediaId: string, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  // The port may reuse a chunk's memory.
  for await (const part of storage().read(segmentKey(mediaId, name))) parts.push(Uint8Array.from(part))
  return Buffer.concat(parts)
}

const plainOf = (body: Buffer, { contentKey, stream }: SegmentSource, sequence: number) =>
  contentKey ? decryptSegment(body, streamKey(contentKey, stream), sequence) : body

/** Returns a stored segment in plain form. `sequence` is its media sequence number. */
export async function readPlainSegment(source: SegmentSource, name: string, sequence: number): Promise<Buffer> {
  return plainOf(await readStoredSegment(source.mediaId, name), source, sequence)
}

/** Returns a stored segment in plain form, as `readPlainSegment`. Undefined if it is missing or damaged: its repair is then requested. */
export async function readIntactSegment(source: SegmentSource, name: string, sequence: number): Promise<Buffer | undefined> {
  const { mediaId } = source
  const body = await readStoredSegment(mediaId, name).catch(async (error) => {
    if (!isStorageError(error) || error.code !== 'STORAGE_OBJECT_MISSING') throw error
    // A lost volume has no objects either.
    await storage().check()
  })
  if (body && contentName(body) === name) return plainOf(body, source, sequence)
  await recordFault({ key: segmentKey(mediaId, name), kind: body ? 'changed' : 'missing' }, { repair: true })
  return undefined
}

/** Yields the plain segments of a list in order. */
export async function* plainSegments(
  source: SegmentSource,
  segments: readonly [name: string, durationSec: number][],
): AsyncGenerator<Buffer> {
  for (const [sequence, [name]] of segments.entries()) yield await readPlainSegment(source, name, sequence)
}
