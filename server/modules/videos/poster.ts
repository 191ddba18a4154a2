import type { AccountCtx } from '../../context.ts'
import { changedMeanwhile, ServiceError } from '../../errors.ts'
import { services } from '../../platform/container.ts'
import { db } from '../../platform/database/database.ts'
import { posterFrom } from '../../platform/ffmpeg/picture.ts'
import { record } from '../audit/record.ts'
import { requireStorage } from '../identity/accounts/storage.ts'
import type { Throttle } from '../identity/sign-in/throttle.ts'
import { removeUnnamedExtras, storeExtra } from './extras.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import { readVersion } from './presenter.ts'
import type { ChoosePosterInput, UploadPosterInput } from './schema.ts'

/**
 * Sets a video's poster to a candidate or to the uploaded picture. Errors: FORBIDDEN, VIDEO_NOT_FOUND, INVALID_REQUEST for a picture it
 * does not have, CONFLICT if another was chosen since `expected`.
 */
export async function choosePoster(ctx: AccountCtx, { videoId, name, expected }: ChoosePosterInput): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    const { poster, media, posterUploaded } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    if (!media?.posterCandidates.includes(name) && posterUploaded !== name)
      throw new ServiceError('INVALID_REQUEST', { message: 'This video has no such image. Reload the page.' })
    if (poster === name) return
    if (expected !== undefined && poster !== expected) throw changedMeanwhile({ poster })
    await tx.video.update({ where: { id: videoId, accountId: ctx.accountId }, data: { poster: name } })
    await record(tx, ctx, { action: 'video.poster', subject: videoId, before: { poster }, after: { poster: name } })
  })
}

/** A burst of ten, then one every ten seconds: decoding delays other accounts' requests. Each process counts separately. */
const PACE = { burst: 10, everyMs: 10_000 }

declare module '../../platform/container.ts' {
  interface Services {
    posterThrottle: Throttle
  }
}

const throttle = () => services().posterThrottle

function requirePace({ accountId }: AccountCtx): void {
  const waitMs = throttle().take(accountId, PACE)
  if (waitMs === 0) return
  const retryAfter = Math.ceil(waitMs / 1_000)
  const message = `This account has exceeded its rate limit for poster uploads. Try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`
  throw new ServiceError('TOO_MANY_ATTEMPTS', { message, retryAfter })
}

/** Stores a picture as the poster, like `uploadPoster`, and returns the video as the API shows it. */
export async function replacePoster(ctx: AccountCtx, input: { videoId: string; image: Buffer }): Promise<{ json: string }> {
  await uploadPoster(ctx, { ...input, expected: undefined })
  return db().$transaction((tx) => readVersion(tx, input.videoId))
}

type UploadedPoster = Omit<UploadPosterInput, 'image'> & { image: Buffer }

/**
 * Stores the owner's picture as the poster, replacing an uploaded one. Decodes it and encodes it as a JPEG of at most 1920×1080, so that no
 * byte of the uploaded file reaches a viewer. Returns its name. Errors: FORBIDDEN, VIDEO_NOT_FOUND, INVALID_REQUEST for a file that is not
 * a picture, CONFLICT if another was chosen since `expected`, TOO_MANY_ATTEMPTS with `retryAfter` for an account that uploads too fast, and
 * without it beyond its storage, STORAGE_FULL, `TurnRefused` if too many are waiting in this process.
 */
export async function uploadPoster(ctx: AccountCtx, { videoId, image, expected }: UploadedPoster): Promise<{ name: string }> {
  requireVideoManagement(ctx)
  await db().$transaction((tx) => getOwnedVideoForUpdate(tx, ctx, videoId))
  requirePace(ctx)
  const jpeg = await posterFrom(image)
  if (!jpeg)
    throw new ServiceError('INVALID_REQUEST', {
      message: 'We cannot read this image. Choose a JPEG, PNG or WebP file of at most 4096×4096 pixels.',
    })
  await requireStorage(ctx, jpeg.length)
  const change = db().$transaction(async (tx) => {
    const { poster } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    const name = await storeExtra(videoId, jpeg)
    if (expected !== undefined && poster !== expected && poster !== name) throw changedMeanwhile({ poster })
    await tx.video.update({
      where: { id: videoId, accountId: ctx.accountId },
      data: { poster: name, posterUploaded: name, posterBytes: jpeg.length },
    })
    await record(tx, ctx, { action: 'video.poster', subject: videoId, before: { poster }, after: { poster: name } })
    return { name }
  })
  return change.finally(() => removeUnnamedExtras(ctx, videoId))
}
