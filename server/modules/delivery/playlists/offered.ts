import type { SessionOpening } from '../sessions/ends.ts'
import { aboutSession } from '../sessions/media-permit.ts'
import { notAllowed, offeredQualities, type SessionPolicy } from '../tokens/policy.ts'
import type { VideoStreams } from './media-streams.ts'

type Pictures = { [Kind in 'renditions' | 'iframes']: readonly { quality: string }[] }

/** Returns which qualities of these streams a session's policy offers. */
export const offeredIn = ({ renditions, iframes }: Pictures, terms: SessionPolicy): Set<string> =>
  offeredQualities(
    [...renditions, ...iframes].map(({ quality }) => quality),
    terms,
  )

/**
 * Errors: PLAYBACK_NOT_ALLOWED, with `details.reason` HEIGHT, for a quality above the session's highest. One that was left out when the
 * video became complete may still be played.
 */
export async function requireOffered(
  videoId: string,
  streams: VideoStreams,
  quality: string,
  session: SessionOpening & { terms: SessionPolicy },
): Promise<void> {
  const { terms } = session
  if (terms.maxHeight === undefined || offeredIn({ ...streams, iframes: [...streams.iframes, { quality }] }, terms).has(quality)) return
  throw await aboutSession(videoId, session, notAllowed('HEIGHT', 'This session offers lower renditions only.'))
}
