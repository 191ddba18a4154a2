import { env } from '../config/config.ts'
import { log } from '../observe/log.ts'
import { seal, sealingKid, sealPrefix, unseal } from '../secrets/seal.ts'
import { query } from './database.ts'

/** A column of sealed secrets. Names are constants, never input. `ownerOf` returns the owner that a row's secret is bound to. */
export interface SealedColumn {
  table: string
  id: string
  column: string
  ownerOf: (id: string) => string
}

const BATCH = 200

/**
 * Seals secrets of older master keys under the first one, so that the older keys can be removed. Safe alongside readers, other workers and
 * another run. Resolves with how many it sealed, and how many it could not open because their master key is not configured.
 */
export async function reseal(sealed: SealedColumn, signal: AbortSignal): Promise<{ sealed: number; unreadable: number }> {
  const { table, id, column, ownerOf } = sealed
  const prefix = sealPrefix(sealingKid())
  const read = `SELECT ${id} AS id, ${column} AS secret FROM ${table}
    WHERE ${id} > $1 AND ${column} IS NOT NULL AND substring(${column} FROM 1 FOR $2) <> $3 ORDER BY ${id} LIMIT ${BATCH}`
  // Updates only an unchanged value, since it may have been replaced after it was read.
  const write = `UPDATE ${table} AS held SET ${column} = next.secret
    FROM unnest($1::text[], $2::bytea[], $3::bytea[]) AS next(id, read, secret)
    WHERE held.${id} = next.id AND held.${column} = next.read RETURNING 1`
  let [done, unreadable, after] = [0, 0, '']
  for (;;) {
    signal.throwIfAborted()
    const rows = await query<{ id: string; secret: Buffer }>(`reseal-read ${table}.${column}`, read, [after, prefix.length, prefix])
    const next = rows.flatMap(({ id: row, secret: read }) => {
      const secret = tryToOpen(read, ownerOf(row))
      return secret ? [{ row, read, secret: seal(secret, ownerOf(row)) }] : []
    })
    unreadable += rows.length - next.length
    const values = [next.map(({ row }) => row), next.map(({ read }) => read), next.map(({ secret }) => secret)]
    if (next.length > 0) done += (await query(`reseal-write ${table}.${column}`, write, values)).length
    after = rows.at(-1)?.id ?? ''
    if (rows.length < BATCH) break
  }
  const what = `${table}.${column}`
  if (done > 0) log().info({ sealed: done, what, kid: sealingKid() }, 're-encrypted secrets with the first master key')
  if (unreadable > 0)
    log().error(
      { unreadable, what },
      'secrets cannot be decrypted: their key is not in MASTER_KEYS and not derived from a configured root secret',
    )
  return { sealed: done, unreadable }
}

/** Opens every secret in a column. Returns how many there are and how many cannot be opened. */
export async function openAll({ table, id, column, ownerOf }: SealedColumn): Promise<{ opened: number; unreadable: number }> {
  const read = `SELECT ${id} AS id, ${column} AS secret FROM ${table} WHERE ${id} > $1 AND ${column} IS NOT NULL ORDER BY ${id} LIMIT ${BATCH}`
  let [opened, unreadable, after] = [0, 0, '']
  for (;;) {
    const rows = await query<{ id: string; secret: Buffer }>(`open-all ${table}.${column}`, read, [after])
    for (const row of rows) {
      if (tryToOpen(row.secret, ownerOf(row.id))) opened++
      else unreadable++
    }
    after = rows.at(-1)?.id ?? ''
    if (rows.length < BATCH) return { opened, unreadable }
  }
}

/** Logs after a rotation that nothing stored needs the older secrets. Logs nothing if there are none, or while one is needed. */
export function reportUnusedSecret(resealed: { sealed: number; unreadable: number }[]): void {
  const { REELGATE_SECRET_PREVIOUS, MASTER_KEYS } = env()
  const older = [
    ...(REELGATE_SECRET_PREVIOUS ? ['REELGATE_SECRET_PREVIOUS'] : []),
    ...(MASTER_KEYS ?? []).slice(1).map(({ kid }) => `MASTER_KEYS: ${kid}`),
  ]
  if (older.length === 0 || resealed.some(({ unreadable }) => unreadable > 0)) return
  const words =
    'all stored secrets are encrypted with the first key; older keys may be removed once the sessions and URLs signed with them have expired'
  log().info({ older }, words)
}

function tryToOpen(stored: Uint8Array, owner: string): Buffer | undefined {
  try {
    return unseal(stored, owner)
  } catch {
    return undefined
  }
}
