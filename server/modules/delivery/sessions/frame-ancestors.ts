import { NotifiedCache } from '../../../platform/cache.ts'
import { env } from '../../../platform/config/config.ts'
import { services } from '../../../platform/container.ts'
import { query } from '../../../platform/database/database.ts'

declare module '../../../platform/container.ts' {
  interface Services {
    /** By video. */
    embedDomains: NotifiedCache<{ domains: string[] }>
  }
}

const cache = () => services().embedDomains

export function makeEmbedDomains(): NotifiedCache<{ domains: string[] }> {
  const videoOf = (subject: string) => subject.slice(subject.indexOf(':') + 1)
  // An account's settings change rarely, and their notifications name no video, so each clears the cache.
  return new NotifiedCache<{ domains: string[] }>('embed_domains', 20_000, { video: videoOf, account: () => undefined })
}

/**
 * Returns the value of the content security policy's `frame-ancestors` for a video's player: the account's domains and the
 * dashboard, or `*`. Unknown ids give `*`, as they have nothing to protect.
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
