import { ServiceError } from '../../errors.ts'
import { storage } from '../../platform/storage/storage.ts'
import type { ByteRange } from '../../platform/storage/storage-port.ts'
import { segmentKey } from '../videos/media-keys.ts'
import { readSegment, segmentBytes } from './segment-cache.ts'
import { isWithheld } from './withheld.ts'

export interface Segment {
  bytes: number
  /** Strong ETag, quoted: the name is the hash of the content. */
  etag: string
  read(range?: ByteRange): AsyncIterable<Uint8Array>
}

/**
 * Returns a segment by its name `<hash>.ts`. Needs no permit, so that any cache may store it without expiry: its name cannot be
 * guessed, and it is ciphertext unless its owner disabled encryption. Unencrypted segments of a video that was taken down are
 * refused. Errors: NOT_FOUND.
 */
export async function findSegment({ videoId, segment }: { videoId: string; segment: string }): Promise<Segment> {
  const name = /^([0-9a-f]{32})\.ts$/.exec(segment)?.[1]
  const key = name && /^vid_\w{1,60}$/.test(videoId) ? segmentKey(videoId, name) : undefined
  const bytes = key && !(await isWithheld(videoId)) ? await segmentBytes(key) : undefined
  if (!key || bytes === undefined) throw new ServiceError('NOT_FOUND', { message: 'No such segment exists.' })
  return { bytes, etag: `"${name}"`, read: (range) => (range ? storage().read(key, range) : readSegment(key, bytes)) }
}
