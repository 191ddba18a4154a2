import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { mediaMove } from '../../../platform/storage/media-move.ts'
import { presignedUrl } from '../../../platform/storage/presign.ts'
import { storageLocation } from '../../../platform/storage/s3-client.ts'
import { storage } from '../../../platform/storage/storage.ts'
import type { ByteRange } from '../../../platform/storage/storage-port.ts'
import { FRAGMENT, segmentKey } from '../../videos/media-keys.ts'
import { publicObjectUrl } from '../../videos/segment-address.ts'
import { isWithheld } from '../sessions/withheld.ts'
import { fixtureSegment } from './fixture-media.ts'
import { prepareSegment, readSegment, segmentBytes } from './segment-cache.ts'

/** Seconds that a redirect to a public URL may be cached: CDN_ORIGIN can change. */
const PUBLIC_SEC = 3_600

/** Another URL to fetch a segment from, and how many seconds the redirect may be cached. */
export interface SegmentElsewhere {
  location: string
  maxAgeSec: number
}

export interface Segment {
  bytes: number
  /** Strong ETag, quoted: the name is the hash of the content. */
  etag: string
  read(range?: ByteRange): AsyncIterable<Uint8Array>
}

/**
 * Returns a segment by its name `<hash>.ts` or, for fragmented MP4, `<hash>.m4s`. Needs no permit, so that any cache can store it forever:
 * its name cannot be guessed, and it is ciphertext unless its owner disabled encryption. Refuses unencrypted segments of a video that was
 * taken down. With CDN_ORIGIN=redirect, returns where the segment is, unless media is being moved. Errors: NOT_FOUND; SERVICE_UNAVAILABLE
 * for a damaged segment.
 */
export async function findSegment({ mediaId, segment }: { mediaId: string; segment: string }): Promise<Segment | SegmentElsewhere> {
  const [, hash, ending] = /^([0-9a-f]{32})(\.ts|\.m4s)$/.exec(segment) ?? []
  const name = hash && (ending === FRAGMENT ? `${hash}${ending}` : hash)
  const ofFixture = name && fixtureSegment(mediaId, name)
  if (ofFixture) return fromMemory(ofFixture, name)
  const key = name && /^vid_\w{1,60}$/.test(mediaId) ? segmentKey(mediaId, name) : undefined
  const isServed = key && !(await isWithheld(mediaId))
  if (isServed && env().CDN_ORIGIN === 'redirect' && !mediaMove()) return elsewhere(key)
  const bytes = isServed ? await segmentBytes(key) : undefined
  if (!key || bytes === undefined) throw new ServiceError('NOT_FOUND', { message: 'No such segment exists.' })
  await prepareSegment(key, bytes)
  return { bytes, etag: `"${name}"`, read: (range) => (range ? storage().read(key, range) : readSegment(key, bytes)) }
}

/** Returns bytes held in memory as a segment. `name` is their hash. */
export const fromMemory = (body: Buffer, name: string): Segment => ({
  bytes: body.byteLength,
  etag: `"${name}"`,
  async *read(range) {
    yield range ? body.subarray(range.start, range.end + 1) : body
  },
})

/** Does not ask the store whether it has the segment: its own response will say so. */
async function elsewhere(key: string): Promise<SegmentElsewhere> {
  const publicUrl = storageLocation()?.publicUrl
  if (publicUrl) return { location: publicObjectUrl(publicUrl, key), maxAgeSec: PUBLIC_SEC }
  const { url, validSec } = await presignedUrl(key)
  return { location: url, maxAgeSec: validSec }
}
