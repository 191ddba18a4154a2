import { type AccountCtx, demand } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { newId } from '../infra/crypto.ts'
import { db } from '../infra/db.ts'
import { env } from '../infra/env.ts'
import { demandQueueRoom } from '../transcode/pending.ts'
import { folderName } from './folder.ts'
import { uploadMetadata } from './schema.ts'

/** Throws FORBIDDEN unless the actor may add videos. */
export const mayUpload = (ctx: AccountCtx): void => demand(ctx, 'videos.change')

/**
 * Checks a new upload, takes one of its account's places, and answers what is kept with it: the checked metadata, its account and
 * the id of the video it will be, so that completing it twice makes one video.
 * Errors: FORBIDDEN, INVALID_REQUEST, TOO_MANY_ATTEMPTS when as many are unfinished, or wait to be transcoded, as an account may have.
 */
export async function beginUpload(
  ctx: AccountCtx,
  input: { id: string; metadata: unknown; size: number | undefined },
): Promise<Record<string, string | null>> {
  mayUpload(ctx)
  if (input.size === 0) throw new ServiceError('INVALID_REQUEST', { message: 'This file is empty.' })
  const result = uploadMetadata.safeParse(input.metadata ?? {})
  if (!result.success) {
    const [issue] = result.error.issues
    throw new ServiceError('INVALID_REQUEST', { message: issue?.message, details: result.error.issues })
  }
  await takePlace(ctx, input.id)
  const { filetype: _, description, encrypted, ...rest } = result.data
  return { ...rest, encrypted: String(encrypted), ...(description ? { description } : {}), accountId: ctx.accountId, videoId: newId('vid') }
}

async function takePlace({ accountId }: AccountCtx, id: string): Promise<void> {
  const { MAX_UNFINISHED_UPLOADS: most, UPLOAD_EXPIRY_HOURS: hours } = env()
  const folder = await folderName()
  await db().$transaction(async (tx) => {
    // Those that begin together wait for each other here, so that each counts the ones before it.
    await tx.$queryRaw`SELECT 1 FROM account WHERE id = ${accountId} FOR NO KEY UPDATE`
    if ((await tx.upload.count({ where: { accountId } })) >= most) {
      const message = `This account has ${most} unfinished uploads, and may have no more. Finish or cancel one of them; those nobody goes on with are removed after ${hours} ${hours === 1 ? 'hour' : 'hours'}.`
      throw new ServiceError('TOO_MANY_ATTEMPTS', { message })
    }
    await demandQueueRoom(tx, accountId)
    await tx.upload.create({ data: { id, accountId, folder } })
  })
}
