import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { isSignedFor } from '../../../platform/config/secrets.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { type ContentAccess, signContent } from '../../audit/content-access.ts'
import { openMediaPermit } from '../sessions/media-permit.ts'

const PURPOSE = 'picture-permit'
/** The permits of an hour are equal, so that browsers can cache their pictures, and valid for one to two hours. */
const STEP_SEC = 3_600

const PERMIT = /^picture-([0-9a-z]{1,10})-([\w-]{22})$/

const payloadOf = (videoId: string, file: string, expiry: string) => `${videoId}/${file}.${expiry}`

/** Returns the path segment that permits one file of a video until `expiresAt` (Unix seconds). */
export function mintPicturePermit(access: ContentAccess, videoId: string, file: string, expiresAt: number): string {
  const expiry = expiresAt.toString(36)
  return `picture-${expiry}-${signContent(access, PURPOSE, payloadOf(videoId, file, expiry))}`
}

/** Returns when URLs made now expire, in Unix seconds. */
export const pictureExpiry = (): number => (Math.floor(serviceNow() / 1_000 / STEP_SEC) + 2) * STEP_SEC

/** Returns the URL of one picture, which opens nothing else. */
export const pictureUrl = (access: ContentAccess, videoId: string, file: string, expiresAt: number): string =>
  `${env().PLAYLIST_URL}/cdn/hls/${videoId}/${mintPicturePermit(access, videoId, file, expiresAt)}/${file}`

/**
 * Checks the permit of a picture's file: its own, or one of all pictures of the video. Returns the expiry of its own. Errors: those of
 * `openMediaPermit`.
 */
export async function openPicture(videoId: string, permit: string, file: string): Promise<number | undefined> {
  const [, expiry, signature] = PERMIT.exec(permit) ?? []
  if (!expiry || !signature) return void (await openMediaPermit(videoId, permit, 'pictures'))
  if (!isSignedFor(PURPOSE, payloadOf(videoId, file, expiry), signature))
    throw new ServiceError('PLAYBACK_TOKEN_INVALID', { message: 'This URL is not valid. Request the pictures of the video again.' })
  const expiresAt = Number.parseInt(expiry, 36)
  if (expiresAt * 1_000 <= serviceNow())
    throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', { message: 'This URL has expired. Request the pictures of the video again.' })
  return expiresAt
}
