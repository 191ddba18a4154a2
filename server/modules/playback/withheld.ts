import { NotifiedCache } from '../../platform/cache.ts'
import { services } from '../../platform/container.ts'
import { query, vital } from '../../platform/database.ts'
import { andThen, type MaybePromise } from '../../platform/maybe-promise.ts'
import { notifications } from '../../platform/notifications.ts'

interface Withheld {
  ids: ReadonlySet<string>
}

interface WithheldVideos {
  cache: NotifiedCache<Withheld>
  /** The last list that was loaded. */
  known?: Withheld
}

declare module '../../platform/container.ts' {
  interface Services {
    withheldVideos: WithheldVideos
  }
}

export const makeWithheldVideos = (): WithheldVideos => ({
  cache: new NotifiedCache<Withheld>('withheld_videos', 1, { takedown: () => undefined, suspension: () => undefined }),
})

/**
 * Returns whether a video's segments are refused: it is taken down or its account suspended, and its segments are not encrypted.
 * Encrypted ones are useless without the key, which is refused. While notifications are off, the last list is used and a new one is
 * loaded in the background.
 */
export function isWithheld(videoId: string): MaybePromise<boolean> {
  const { cache, known } = services().withheldVideos
  const list = cache.get('all', load) as MaybePromise<Withheld>
  // Segments are served without the database; its outage must not stop running playback.
  if (known && !notifications().live) {
    void Promise.resolve(list).catch(() => {})
    return known.ids.has(videoId)
  }
  return andThen(list, ({ ids }) => ids.has(videoId))
}

async function load(): Promise<Withheld> {
  const rows = await query<{ id: string }>('withheld-videos', WITHHELD, [], vital())
  const list = { ids: new Set(rows.map(({ id }) => id)) }
  services().withheldVideos.known = list
  return list
}

const WITHHELD = `
  SELECT COALESCE(m.media_id, m.id) AS id FROM video v JOIN video m ON m.id = v.id OR m.replaces = v.id
  WHERE v.taken_down_at IS NOT NULL AND NOT m.encrypted
  UNION SELECT COALESCE(video.media_id, video.id) FROM account JOIN video ON video.account_id = account.id WHERE account.suspended_at IS NOT NULL AND NOT video.encrypted`
