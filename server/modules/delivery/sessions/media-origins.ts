import { env } from '../../../platform/config/config.ts'
import { storageLocation } from '../../../platform/storage/s3-client.ts'

/** Returns the origins from which a player loads media: those of playlists, keys and segments, and that of redirected segments. */
export function mediaOrigins(): string[] {
  const { BASE_URL, CDN_URL, CDN_ORIGIN } = env()
  const redirected = CDN_ORIGIN === 'redirect' ? [storageLocation()?.publicUrl ?? bucketUrl()] : []
  return [...new Set([CDN_URL, BASE_URL, ...redirected].map((url) => new URL(url).origin))]
}

/** Returns the URL of the bucket, as the SDK builds it for presigned URLs. */
function bucketUrl(): string {
  const location = storageLocation()
  if (!location) throw new Error('STORAGE_URL is not set.')
  const { endpoint, bucket, region, pathStyle } = location
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`
  return url.href
}
