import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { outboundUrlRefusal } from '../../../platform/network/outbound-url-policy.ts'
import { createOpenUpload } from '../direct/create-direct.ts'
import type { UploadObject } from '../direct/direct-schema.ts'
import { getDirectUpload } from '../direct/get-direct.ts'
import type { ImportVideoInput } from './import-schema.ts'

/** Seconds in which an import must be complete. */
export const IMPORT_LIFE_SEC = 86_400

/**
 * Creates an upload whose file a worker downloads. Errors: INVALID_REQUEST for a URL that imports may not use, and those of
 * `createOpenUpload`.
 */
export async function importVideo(
  ctx: AccountCtx,
  input: ImportVideoInput,
  idempotencyKey?: string,
): Promise<{ upload: UploadObject; replayed: boolean }> {
  requireImportUrl(input.url)
  const { id, replayed } = await createOpenUpload(
    ctx,
    { ...input, allowedOrigin: undefined, expiresInSec: IMPORT_LIFE_SEC },
    idempotencyKey,
  )
  return { upload: await getDirectUpload(ctx, { uploadId: id }), replayed }
}

/** Throws INVALID_REQUEST for a URL that imports may not use. */
export function requireImportUrl(url: string): void {
  const message = outboundUrlRefusal(new URL(url), 'IMPORT_ALLOWED_HOSTS')
  if (message) throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', path: 'url', message }] })
}
