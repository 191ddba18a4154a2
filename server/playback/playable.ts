import { NotifiedCache } from '../infra/cache.ts'
import { query } from '../infra/db.ts'
import { processWide } from '../infra/process-wide.ts'
import { fixture, fixtureVideo } from '../video/fixtures.ts'

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

const cache = () =>
  processWide(
    'playable-cache',
    () => new NotifiedCache<PlayableVideo>(20_000, { video: (subject) => subject.slice(subject.indexOf(':') + 1) }),
  )

/** A video by the id that a verified token or grant names; undefined when it does not exist or is deleted. */
export function playableVideo(videoId: string): PlayableVideo | undefined | Promise<PlayableVideo | undefined> {
  const faked = fixture(videoId)
  if (faked) return faked.token === 'deleted' ? undefined : { ...fixtureVideo(videoId, faked), encrypted: true }
  return cache().get(videoId, async () => {
    const [row] = await query<PlayableVideo>(
      'playable-video',
      `SELECT id, account_id AS "accountId", status, duration_sec AS "durationSec", qualities, encrypted FROM video WHERE id = $1 AND deleted_at IS NULL`,
      [videoId],
    )
    return row
  })
}
