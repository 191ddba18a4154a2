import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { newId } from '../infra/crypto.ts'
import { uploadMetadata } from './schema.ts'

/** Throws FORBIDDEN unless the actor may add videos. */
export function mayUpload({ actor }: AccountCtx): void {
  if (actor.kind !== 'user' || actor.role === 'VIEWER') {
    throw new ServiceError('FORBIDDEN', { message: 'Your role may look at videos but not upload them.' })
  }
}

/**
 * Checks a new upload and answers what is kept with it: the checked metadata, its account and the id of the video it will be,
 * so that completing it twice makes one video. Errors: FORBIDDEN, INVALID_REQUEST.
 */
export function beginUpload(ctx: AccountCtx, input: { metadata: unknown; size: number | undefined }): Record<string, string | null> {
  mayUpload(ctx)
  if (input.size === 0) throw new ServiceError('INVALID_REQUEST', { message: 'This file is empty.' })
  const result = uploadMetadata.safeParse(input.metadata ?? {})
  if (!result.success) {
    const [issue] = result.error.issues
    throw new ServiceError('INVALID_REQUEST', { message: issue?.message, details: result.error.issues })
  }
  const { filetype: _, description, encrypted, ...rest } = result.data
  return { ...rest, encrypted: String(encrypted), ...(description ? { description } : {}), accountId: ctx.accountId, videoId: newId('vid') }
}
