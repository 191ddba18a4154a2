import type { AccountId } from '../../../context.ts'
import { NotifiedCache } from '../../../platform/cache.ts'
import { services } from '../../../platform/container.ts'
import { query, vital } from '../../../platform/database/database.ts'
import type { MaybePromise } from '../../../platform/maybe-promise.ts'
import { fixture, fixtureVideo } from '../../videos/fixtures.ts'
import { PLANNED_QUALITIES, SERVED, SERVED_TOPICS } from '../../videos/owned-video.ts'

/** Properties of a video that playback needs. A token or grant bound to its ID authorizes the caller, not an account. */
export interface PlayableVideo {
  id: string
  /** Undefined for a fixture, which belongs to no account. */
  accountId?: AccountId
  status: string
  durationSec: number
  qualities: string[]
  encrypted: boolean
  /** Whether tokens are issued and exchanged for it: COMPLETED, or PROCESSING with a beginning that its account lets viewers watch. */
  isReady: boolean
}

declare module '../../../platform/container.ts' {
  interface Services {
    /** By video. */
    playableVideos: NotifiedCache<PlayableVideo>
  }
}

const cache = () => services().playableVideos

export const makePlayableVideos = () =>
  new NotifiedCache<PlayableVideo>('playable_videos', 20_000, { ...SERVED_TOPICS, account: () => undefined })

/**
 * Returns a video by the ID in a verified token or grant. Undefined if it does not exist, is deleted or taken down, or its account is
 * suspended.
 */
export function playableVideo(videoId: string): MaybePromise<PlayableVideo | undefined> {
  const testFixture = fixture(videoId)
  if (testFixture) {
    const video = fixtureVideo(videoId, testFixture)
    return testFixture.tokenDefect === 'deleted' ? undefined : { ...video, encrypted: true, isReady: video.status === 'COMPLETED' }
  }
  return cache().get(videoId, async () => {
    const [row] = await query<PlayableVideo>(
      'playable-video',
      `SELECT id, account_id AS "accountId", status, duration_sec AS "durationSec", COALESCE(early.qualities, video.qualities) AS qualities,
         encrypted, status = 'COMPLETED' OR early.qualities IS NOT NULL AS "isReady"
       FROM video LEFT JOIN LATERAL (
         SELECT ${PLANNED_QUALITIES} AS qualities WHERE status = 'PROCESSING' AND playable_at IS NOT NULL
           AND (SELECT plays_early FROM account WHERE id = video.account_id)) AS early ON true
       WHERE id = $1 AND ${SERVED}`,
      [videoId],
      vital(),
    )
    return row
  })
}
