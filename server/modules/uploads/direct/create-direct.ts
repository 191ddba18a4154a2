import { type AccountCtx, actorName } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { db } from '../../../platform/database/database.ts'
import { newId, sha256 } from '../../../platform/secrets/crypto.ts'
import { collectionExists } from '../../videos/collections/collections.ts'
import { requireFreeExternalId } from '../../videos/edit-video.ts'
import { requireVideoManagement } from '../../videos/owned-video.ts'
import { createGrouped } from '../grouped-creation.ts'
import { throwRefusal } from './admit-direct.ts'
import { isRepeated } from './direct-rows.ts'
import type { CreatedUpload, CreateUploadInput } from './direct-schema.ts'
import { directUrl } from './direct-url.ts'
import { endExpired } from './expire-direct.ts'

/** Creates an upload for a client without a key. Errors: as `createOpenUpload`. */
export async function createDirectUpload(
  ctx: AccountCtx,
  input: CreateUploadInput,
  idempotencyKey?: string,
): Promise<{ upload: CreatedUpload; replayed: boolean }> {
  const { id, expiresAt, replayed } = await createOpenUpload(ctx, input, idempotencyKey)
  return { upload: created(id, expiresAt), replayed }
}

interface OpenUpload {
  id: string
  expiresAt: Date
  replayed: boolean
}

/**
 * Creates an upload; a job downloads one with a `url`. It takes a place among the account's unfinished uploads, and its bytes are admitted
 * once known (`announceSize`). With `idempotencyKey`, the same caller and input within 24 hours get the same upload, unless it ended
 * without a video or its video is deleted. `requested` is the input before defaults. Errors: FORBIDDEN, INVALID_REQUEST for more bytes than
 * the service accepts and for an unknown collection, IDEMPOTENCY_KEY_REUSED, EXTERNAL_ID_IN_USE, and those of `admitUpload`.
 */
export async function createOpenUpload(
  ctx: AccountCtx,
  input: CreateUploadInput & { url?: string; replaces?: string },
  idempotencyKey: string | undefined,
  requested: object = input,
): Promise<OpenUpload> {
  requireVideoManagement(ctx)
  const { accountId, actor } = ctx
  const { maxBytes = env().MAX_UPLOAD_BYTES, allowedOrigin, expiresInSec, url, ...fields } = input
  if (maxBytes > env().MAX_UPLOAD_BYTES) throw tooManyBytes()
  const creator = actor.kind === 'key' ? { keyId: actor.keyId } : { userId: actorName(actor) }
  const [id, videoId] = [newId('upl'), newId('vid')]
  const once =
    idempotencyKey === undefined
      ? undefined
      : { hash: sha256(`${actorName(actor)}\0${idempotencyKey}`), requestHash: sha256(canonical(requested)) }
  // By now, its own video may have the external ID.
  if (fields.externalId && !(once && (await isRepeated(once)))) await requireFreeExternalId(db(), ctx, fields.externalId)
  if (fields.collection) await requireCollection(ctx, fields.collection)
  const row = {
    id,
    accountId,
    creator,
    fields,
    maxBytes,
    videoId,
    allowedOrigin,
    expiresInSec,
    once,
    ...(url !== undefined && { url }),
  }
  let creation = await createGrouped(row).catch(throwRefusal)
  // The job that ends expired uploads has not reached this one yet.
  if ('earlier' in creation && creation.earlier.state === 'open' && creation.earlier.isExpired) {
    await endExpired(creation.earlier.id)
    creation = await createGrouped(row).catch(throwRefusal)
  }
  if ('expiresAt' in creation) return { id, expiresAt: creation.expiresAt, replayed: false }
  const { earlier } = creation
  if (!once?.requestHash.equals(earlier.requestHash ?? Buffer.alloc(0))) throw new ServiceError('IDEMPOTENCY_KEY_REUSED')
  return { id: earlier.id, expiresAt: earlier.expiresAt, replayed: true }
}

const created = (uploadId: string, expiresAt: Date): CreatedUpload => ({
  uploadId,
  uploadUrl: directUrl(uploadId),
  protocol: 'tus',
  expiresAt: expiresAt.toISOString(),
})

/** Returns a text that is equal for equal inputs, whatever the order of names in `metadata`. */
const canonical = ({ metadata, ...rest }: { metadata?: object }) =>
  JSON.stringify([rest, Object.entries(metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))])

async function requireCollection(ctx: AccountCtx, collectionId: string): Promise<void> {
  if (await collectionExists(ctx, collectionId)) return
  const message = 'Your account has no collection with this ID.'
  throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', path: 'collection', message }] })
}

function tooManyBytes(): ServiceError {
  const message = `This service accepts files of at most ${env().MAX_UPLOAD_BYTES} bytes.`
  return new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', path: 'maxBytes', message }] })
}
