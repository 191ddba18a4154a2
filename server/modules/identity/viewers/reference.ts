import { randomBytes } from 'node:crypto'
import { services } from '../../../platform/container.ts'
import { query, vital } from '../../../platform/database/database.ts'
import type { SealedColumn } from '../../../platform/database/reseal.ts'
import { sign } from '../../../platform/secrets/crypto.ts'
import { seal, unseal } from '../../../platform/secrets/seal.ts'

declare module '../../../platform/container.ts' {
  interface Services {
    viewerKey: { read?: Promise<Buffer> | undefined }
  }
}

/**
 * Returns the name that tables, cursors, the audit log and erasures use for a viewer: `vwr_` and an HMAC of the account and the customer's
 * own ID. It stays the same when the root secret is replaced.
 */
export const viewerReference = async (accountId: string, viewerId: string): Promise<string> =>
  `vwr_${sign(await viewerKey(), `${accountId}.${viewerId}`)}`

/** Seals a customer's own ID of a person for the column `viewer.own_id`. */
export const sealOwnId = (reference: string, viewerId: string): Buffer<ArrayBuffer> =>
  seal(Buffer.from(viewerId), SEALED_VIEWERS.ownerOf(reference))

/** Opens a value of the column `viewer.own_id`. */
export const openOwnId = (reference: string, sealed: Uint8Array): string => unseal(sealed, SEALED_VIEWERS.ownerOf(reference)).toString()

/** Columns for the job that seals everything again under the first master key. */
export const SEALED_VIEWERS: SealedColumn = { table: 'viewer', id: 'id', column: 'own_id', ownerOf: (reference) => `viewer ${reference}` }
export const SEALED_VIEWER_KEY: SealedColumn = {
  table: 'installation',
  id: 'singleton::text',
  column: 'viewer_key',
  ownerOf: () => 'viewer references',
}

function viewerKey(): Promise<Buffer> {
  const held = services().viewerKey
  held.read ??= readKey().catch((error) => {
    held.read = undefined
    throw error
  })
  return held.read
}

/** Reads the key, which is random and outlives the root secret, because erasures and the audit log cannot be written again. */
async function readKey(): Promise<Buffer> {
  const owner = SEALED_VIEWER_KEY.ownerOf('')
  const [row] = await query<{ key: Buffer }>(
    'viewer-key',
    'UPDATE installation SET viewer_key = coalesce(viewer_key, $1) RETURNING viewer_key AS key',
    [seal(randomBytes(32), owner)],
    vital(),
  )
  if (!row) throw new Error('The database has no installation.')
  return unseal(row.key, owner)
}
