import { NotifiedCache } from '../../../platform/cache.ts'
import { env } from '../../../platform/config/config.ts'
import { services } from '../../../platform/container.ts'
import { query } from '../../../platform/database/database.ts'
import { storageLocation } from '../../../platform/storage/s3-client.ts'

declare module '../../../platform/container.ts' {
  interface Services {
    /** By video. */
    embedDomains: NotifiedCache<{ domains: string[] }>
  }
}

const cache = () => services().embedDomains

export function makeEmbedDomains(): NotifiedCache<{ domains: string[] }> {
  const videoOf = (subject: string) => subject.slice(subject.indexOf(':') + 1)
  // An account's settings change rarely, and their notices name no video, so each clears the cache.
  return new NotifiedCache<{ domains: string[] }>('embed_domains', 20_000, { video: videoOf, account: () => undefined })
}

/**
 * Returns the value of the content security policy's `frame-ancestors` for a video's player: the account's domains and the dashboard, or
 * `*`. Unknown IDs give `*`, because they have nothing to protect.
 */
export async function frameAncestors(videoId: string): Promise<string> {
  const found = /^vid_\w{1,60}$/.test(videoId) ? await cache().get(videoId, () => load(videoId)) : undefined
  if (!found || found.domains.length === 0) return '*'
  return ["'self'", new URL(env().BASE_URL).origin, ...found.domains].join(' ')
}

async function load(videoId: string): Promise<{ domains: string[] } | undefined> {
  const [row] = await query<{ domains: string[] }>(
    'embed-domains-of-video',
    'SELECT embed_domains AS domains FROM account JOIN video ON video.account_id = account.id WHERE video.id = $1',
    [videoId],
  )
  return row
}

/** Returns the origins that a player loads media from: the origin of playlists, keys and segments, and of redirected segments. */
export function mediaOrigins(): string[] {
  const { BASE_URL, CDN_URL, CDN_ORIGIN } = env()
  const redirected = CDN_ORIGIN === 'redirect' ? [storageLocation()?.publicUrl ?? bucketUrl()] : []
  return [...new Set([CDN_URL, BASE_URL, ...redirected].map((url) => new URL(url).origin))]
}

/** Returns the bucket's URL, as the SDK builds it for presigned URLs. */
function bucketUrl(): string {
  const location = storageLocation()
  if (!location) throw new Error('STORAGE_URL is not set.')
  const { endpoint, bucket, region, pathStyle } = location
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`
  return url.href
}
