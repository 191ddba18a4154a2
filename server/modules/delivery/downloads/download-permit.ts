import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { isSignedFor } from '../../../platform/config/secrets.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { type ContentAccess, signContent } from '../../audit/content-access.ts'

const PURPOSE = 'download-permit'

/** Seconds that a URL opens its file: an interrupted download of an hour resumes under the same URL. */
const LIFE_SEC = 3_600

const PERMIT = /^download-([0-9a-z]{1,10})-([\w-]{22})$/

const payloadOf = (videoId: string, file: string, expiry: string) => `${videoId}/${file}.${expiry}`

/** Returns the URL of one file of a video, which opens nothing else, and when it expires. */
export function mintDownload(access: ContentAccess, videoId: string, file: string): { url: string; expiresAt: Date } {
  const expiresAt = Math.floor(serviceNow() / 1_000) + LIFE_SEC
  const expiry = expiresAt.toString(36)
  const permit = `download-${expiry}-${signContent(access, PURPOSE, payloadOf(videoId, file, expiry))}`
  return { url: `${env().PLAYLIST_URL}/cdn/download/${videoId}/${permit}/${file}`, expiresAt: new Date(expiresAt * 1_000) }
}

/** Checks a file's permit. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED. */
export function verifyDownload(videoId: string, file: string, permit: string): void {
  const [, expiry = '', signature = ''] = PERMIT.exec(permit) ?? []
  if (!expiry || !isSignedFor(PURPOSE, payloadOf(videoId, file, expiry), signature))
    throw new ServiceError('PLAYBACK_TOKEN_INVALID', { message: 'This URL is not valid. Request the download again.' })
  if (Number.parseInt(expiry, 36) * 1_000 <= serviceNow())
    throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', { message: 'This URL has expired. Request the download again.' })
}
