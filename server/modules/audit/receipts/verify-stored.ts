import { createLocalJWKSet, jwtVerify } from 'jose'
import { query } from '../../../platform/database/database.ts'
import { publicKeys } from './signing-keys.ts'
import { RECEIPT_TYPE } from './state.ts'

const PAGE = 500
const STORED = `SELECT id, subject, jws FROM deletion WHERE jws IS NOT NULL AND id > $1 ORDER BY id LIMIT ${PAGE}`

/** Verifies every stored receipt's signature, ID and subject with the stored public keys. */
export async function verifyStoredReceipts(): Promise<{ receipts: number; faults: string[] }> {
  const keys = createLocalJWKSet({ keys: (await publicKeys()).map((key) => ({ ...key })) })
  const faults: string[] = []
  let receipts = 0
  for (let after = ''; ; ) {
    const rows = await query<{ id: string; subject: string; jws: string }>('receipts-stored', STORED, [after])
    for (const { id, subject, jws } of rows) {
      const read = await jwtVerify(jws, keys, { typ: RECEIPT_TYPE, subject }).catch(() => undefined)
      if (read?.payload.jti !== id) faults.push(`the receipt ${id} does not verify`)
    }
    receipts += rows.length
    const last = rows.at(-1)
    if (!last || rows.length < PAGE) return { receipts, faults }
    after = last.id
  }
}
