import { request } from 'undici'
import { JOBS } from '../../jobs.ts'
import { env } from '../../platform/config/config.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { enqueue } from '../../platform/job-queue.ts'
import { ssrfSafeAgent } from '../../platform/network/ssrf-safe-agent.ts'
import { cachedPrefix } from './segment-address.ts'

/** Prefixes per request: the most that Cloudflare accepts. */
const PREFIXES = 30
const PATIENCE_MS = 10_000

/** Returns whether this installation purges its CDN. */
export const purgesCdn = () => env().CDN_PURGE_URL !== undefined

/** In the caller's transaction, enqueues removing the segments under these media IDs from the CDN, if one is configured. */
export async function enqueueCdnPurge(tx: Tx, mediaIds: readonly string[]): Promise<void> {
  if (!purgesCdn()) return
  for (let at = 0; at < mediaIds.length; at += PREFIXES)
    await enqueue(tx, JOBS['cdn.purge'], { mediaIds: mediaIds.slice(at, at + PREFIXES) })
}

/** Enqueues the removal after the media itself is removed: a CDN purged earlier would fetch it again. */
export async function purgeCdnOf(mediaIds: readonly string[]): Promise<void> {
  if (purgesCdn() && mediaIds.length > 0) await db().$transaction((tx) => enqueueCdnPurge(tx, mediaIds))
}

interface PurgeRequest {
  url: string
  headers: Record<string, string>
  body?: string
}

/**
 * Returns the requests that remove everything under these prefixes, which are URLs with a trailing slash, in the form that the provider's
 * host expects.
 */
export function purgeRequests(prefixes: readonly string[]): PurgeRequest[] {
  const { CDN_PURGE_URL = '', CDN_PURGE_TOKEN } = env()
  const { hostname } = new URL(CDN_PURGE_URL)
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  if (hostname === 'api.bunny.net') {
    if (CDN_PURGE_TOKEN) headers.AccessKey = CDN_PURGE_TOKEN
    return prefixes.map((prefix) => {
      const url = new URL(CDN_PURGE_URL)
      url.searchParams.set('url', `${prefix}*`)
      return { url: url.href, headers }
    })
  }
  if (CDN_PURGE_TOKEN) headers.Authorization = `Bearer ${CDN_PURGE_TOKEN}`
  // Cloudflare's prefixes are hosts with a path.
  const named = hostname === 'api.cloudflare.com' ? prefixes.map((prefix) => prefix.replace(/^https?:\/\//, '')) : prefixes
  return [{ url: CDN_PURGE_URL, headers, body: JSON.stringify({ prefixes: named }) }]
}

/** Removes these media's segments from the CDN. Throws if the CDN does not confirm it, so that the job is retried. Runs as `cdn.purge`. */
export async function purgeCdn({ mediaIds }: { mediaIds: string[] }, signal: AbortSignal): Promise<void> {
  if (!purgesCdn()) return
  const dispatcher = ssrfSafeAgent({ connections: 1, patienceMs: PATIENCE_MS })
  try {
    for (const { url, ...sent } of purgeRequests(mediaIds.map(cachedPrefix))) {
      const response = await request(url, { method: 'POST', dispatcher, signal, ...sent })
      await response.body.dump()
      if (response.statusCode < 200 || response.statusCode > 299) throw new Error(`The CDN responded with ${response.statusCode}.`)
    }
  } finally {
    await dispatcher.destroy()
  }
}
