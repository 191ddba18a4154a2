import { NotifiedCache } from '../../../platform/cache.ts'
import { services } from '../../../platform/container.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts'

interface Withheld {
  ids: ReadonlySet<string>
}

interface WithheldVideos {
  cache: NotifiedCache<Withheld>
  /** The last list that was loaded. */
  known?: Withheld
}

declare module '../../../platform/container.ts' {
  interface Services {
    withheldVideos: WithheldVideos
  }
}

export const makeWithheldVideos = (): WithheldVideos => ({
  cache: new NotifiedCache<Withheld>('withheld_videos', 1, { takedown: () => undefined, suspension: () => undefined }),
})

/**
 * Returns whether media's segments are refused: its video is taken down or its account suspended, and they are not encrypted. Encrypted
 * ones are useless without the key, which is refused. While notices are off, uses the last list and loads a new one in the background.
 */
export function isWithheld(mediaId: string): MaybePromise<boolean> {
  const { cache, known } = services().withheldVideos
  const list = cache.get('all', load) as MaybePromise<Withheld>
  // Segments are served without the database, whose outage must not stop running playback.
  if (known && !notifications().live) {
    void Promise.resolve(list).catch(() => {})
    return known.ids.has(mediaId)
  }
  return andThen(list, ({ ids }) => ids.has(mediaId))
}

async function load(): Promise<Withheld> {
  const rows = await query<{ id: string }>('withheld-videos', WITHHELD, [], vital())
  const list = { ids: new Set(rows.map(({ id }) => id)) }
  services().withheldVideos.known = list
  return list
}

const WITHHELD = `
  SELECT m.id FROM video v JOIN media m ON m.video_id = v.id WHERE v.taken_down_at IS NOT NULL AND NOT m.encrypted
  UNION SELECT m.id FROM account a JOIN media m ON m.account_id = a.id WHERE a.suspended_at IS NOT NULL AND NOT m.encrypted`
