import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { isSignedFor } from '../../../platform/config/secrets.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import { storage } from '../../../platform/storage/storage.ts'
import type { ByteRange } from '../../../platform/storage/storage-port.ts'
import { type ContentAccess, requireContentAccess, signContent } from '../../audit/content-access.ts'
import { extraKey, pictureKey } from '../../videos/media-keys.ts'
import { openMediaPermit } from '../sessions/media-permit.ts'
import { playableVideo } from '../tokens/playable.ts'
import { newTokenId, signToken } from '../tokens/token.ts'
import { isVerified, verifyObject } from '../tokens/verify-object.ts'
import { streamsOf } from './streams.ts'

export interface Picture {
  bytes: number
  /** Strong ETag, quoted: the name is the hash of the content. */
  etag: string
  read(range?: ByteRange): AsyncIterable<Uint8Array>
}

/** Returns a picture by its storage key. Errors: NOT_FOUND, also for undefined; SERVICE_UNAVAILABLE for a damaged one. */
export async function findPicture(key: string | undefined): Promise<Picture> {
  const stored = key && (await storage().stat(key))
  if (!key || !stored) throw new ServiceError('NOT_FOUND', { message: 'This video has no such image.' })
  if (!isVerified(key)) await verifyObject(key)
  return { bytes: stored.bytes, etag: `"${key.split('/').at(-1)}"`, read: (range) => storage().read(key, range) }
}

const PURPOSE = 'picture-permit'
/** Permits within an hour are the same, so that browsers can cache their pictures, and valid for one to two hours. */
const STEP_SEC = 3_600

const PERMIT = /^picture-([0-9a-z]{1,10})-([\w-]{22})$/

const payloadOf = (videoId: string, file: string, expiry: string) => `${videoId}/${file}.${expiry}`

/** Returns the path segment that permits one file of a video until `expiresAt` (Unix seconds). */
export function mintPicturePermit(access: ContentAccess, videoId: string, file: string, expiresAt: number): string {
  const expiry = expiresAt.toString(36)
  return `picture-${expiry}-${signContent(access, PURPOSE, payloadOf(videoId, file, expiry))}`
}

/** Returns when URLs created now expire, in Unix seconds. */
export const pictureExpiry = (): number => (Math.floor(serviceNow() / 1_000 / STEP_SEC) + 2) * STEP_SEC

/** Returns the URL of one picture, which opens nothing else. */
export const pictureUrl = (access: ContentAccess, videoId: string, file: string, expiresAt: number): string =>
  `${env().PLAYLIST_URL}/cdn/hls/${videoId}/${mintPicturePermit(access, videoId, file, expiresAt)}/${file}`

/**
 * Checks a picture file's permit: its own, or one for all the video's pictures. Returns its own permit's expiry. Errors: as
 * `openMediaPermit`.
 */
export async function openPicture(videoId: string, permit: string, file: string): Promise<number | undefined> {
  const [, expiry, signature] = PERMIT.exec(permit) ?? []
  if (!expiry || !signature) return void (await openMediaPermit(videoId, permit, 'pictures'))
  if (!isSignedFor(PURPOSE, payloadOf(videoId, file, expiry), signature))
    throw new ServiceError('PLAYBACK_TOKEN_INVALID', { message: 'This URL is not valid. Request the video’s pictures again.' })
  const expiresAt = Number.parseInt(expiry, 36)
  if (expiresAt * 1_000 <= serviceNow())
    throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', { message: 'This URL has expired. Request the video’s pictures again.' })
  return expiresAt
}

/**
 * Returns a video's poster or, with `name`, one of the candidates. Errors: PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND,
 * NOT_FOUND.
 */
export async function findPoster({ videoId, permit, name }: { videoId: string; permit: string; name?: string }): Promise<Picture> {
  await openPicture(videoId, permit, name ? `poster-${name}.jpg` : 'poster.jpg')
  const streams = await streamsOf(videoId)
  const { poster, posterUploaded } = streams
  const wanted = name ?? poster
  if (wanted && wanted === posterUploaded) return findPicture(extraKey(videoId, wanted))
  const set = [streams, ...streams.former].find(({ posterCandidates }) => wanted && posterCandidates.includes(wanted))
  return findPicture(wanted && set ? pictureKey(set.mediaId, wanted) : undefined)
}

/**
 * Returns a player URL for a signed-in member to preview one of the account's videos: no key, no quota, no audit row, and the player
 * reports no views. Errors: FORBIDDEN unless the actor is a member, VIDEO_NOT_FOUND, VIDEO_NOT_READY, ACCOUNT_SUSPENDED.
 */
export async function previewVideo(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<{ playerUrl: string }> {
  const access = requireContentAccess(ctx, 'You cannot play videos while you view an account as its owner.')
  if (ctx.actor.kind !== 'user') throw new ServiceError('FORBIDDEN')
  if (ctx.suspended) throw new ServiceError('ACCOUNT_SUSPENDED')
  const video = await db().video.findFirst({
    where: { id: videoId, accountId: ctx.accountId, deletedAt: null, takenDownAt: null },
    select: { status: true },
  })
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND')
  if (video.status !== 'COMPLETED' && !(await playableVideo(videoId))?.isReady)
    throw new ServiceError('VIDEO_NOT_READY', { details: { status: video.status } })
  const token = signToken(access, { videoId, jti: newTokenId(), iat: Math.floor(serviceNow() / 1_000) })
  return { playerUrl: `${env().SDK_URL}/embed/${videoId}?token=${token}&preview=1&title=0` }
}
