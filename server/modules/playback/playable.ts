import { NotifiedCache } from '../../platform/cache.ts'
import { query } from '../../platform/database.ts'
import { processWide } from '../../platform/process-wide.ts'
import { fixture, fixtureVideo } from '../videos/fixtures.ts'
import { SERVED, SERVED_TOPICS } from '../videos/served.ts'

/** What playback needs of a video. The caller's right to it is a token or grant bound to its id, not an account. */
export interface PlayableVideo {
  id: string
  /** Undefined for a fixture, which is everybody's. */
  accountId?: string
  status: string
  durationSec: number
  qualities: string[]
  encrypted: boolean
}

const cache = () => processWide('playable-cache', () => new NotifiedCache<PlayableVideo>(20_000, SERVED_TOPICS))

/** A video by the id that a verified token or grant names; undefined when it does not exist, is deleted or taken down, or its account is suspended. */
export function playableVideo(videoId: string): PlayableVideo | undefined | Promise<PlayableVideo | undefined> {
  const faked = fixture(videoId)
  if (faked) return faked.token === 'deleted' ? undefined : { ...fixtureVideo(videoId, faked), encrypted: true }
  return cache().get(videoId, async () => {
    const [row] = await query<PlayableVideo>(
      'playable-video',
      `SELECT id, account_id AS "accountId", status, duration_sec AS "durationSec", qualities, encrypted FROM video WHERE id = $1 AND ${SERVED}`,
      [videoId],
    )
    return row
  })
}
