import { env } from '../../platform/config/config.ts'
import { mediaMove } from '../../platform/storage/media-move.ts'
import { storageLocation } from '../../platform/storage/s3-client.ts'
import { segmentPrefix } from './media-keys.ts'

/** Returns the public URL of the object with this key in a bucket, or in the CDN in front of it. */
export const publicObjectUrl = (base: string, key: string) => `${base}/${storageLocation()?.prefix ?? ''}${key}`

/**
 * Returns the URL that all segments of one media start with, including a trailing slash. With CDN_ORIGIN=direct, it is below the bucket's
 * public URL. Exceptions: unencrypted videos, because a takedown must be able to refuse their segments; and while media is moved to another
 * bucket.
 */
export function segmentBase(mediaId: string, { encrypted }: { encrypted: boolean }): string {
  const { CDN_ORIGIN, CDN_URL, PLAYLIST_URL } = env()
  if (CDN_ORIGIN === 'direct' && encrypted && !mediaMove()) return publicObjectUrl(CDN_URL, segmentPrefix(mediaId))
  return `${PLAYLIST_URL}/cdn/segments/${mediaId}/`
}

/** Returns the prefix under which the CDN caches one media's segments. */
export const cachedPrefix = (mediaId: string): string =>
  env().CDN_ORIGIN === 'direct' ? publicObjectUrl(env().CDN_URL, segmentPrefix(mediaId)) : `${env().CDN_URL}/cdn/segments/${mediaId}/`
