import type { AccountCtx } from '../context.ts'
import { db } from '../platform/database/database.ts'
import { newId } from '../platform/secrets/crypto.ts'

/** Makes an upload of an account that ended without a video, or is open; returns its id. An import by default. */
export async function makeImport(
  { accountId }: Pick<AccountCtx, 'accountId'>,
  { state = 'failed', ...changes }: { state?: 'open' | 'failed'; title?: string } = {},
): Promise<string> {
  const id = newId('upl')
  const ended = state === 'failed' && {
    endedAt: new Date(),
    failureCode: 'NOT_FOUND',
    failureReason: 'The server has no file at this URL.',
  }
  const { title = `Import of ${accountId}` } = changes
  await db().directUpload.create({
    data: {
      ...{ id, accountId, keyId: 'key_test', videoId: newId('vid'), state, maxBytes: 1_000_000_000n },
      ...{ expiresAt: new Date(Date.now() + 3_600_000), importedFrom: 'https://storage.example.com/clip.mp4' },
      fields: { title, targetQuality: '1080p', encrypted: true },
      ...ended,
    },
  })
  if (state === 'open') await db().upload.create({ data: { id, accountId } })
  return id
}
