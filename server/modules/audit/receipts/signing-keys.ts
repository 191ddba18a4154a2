import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { env } from '../../../platform/config/config.ts'
import { query, type Runner, transaction } from '../../../platform/database/database.ts'
import type { SealedColumn } from '../../../platform/database/reseal.ts'
import { log } from '../../../platform/observe/log.ts'
import { seal, unseal } from '../../../platform/secrets/seal.ts'

/** Seconds that clients may cache the public keys. A new key signs only after every cached copy can contain it. */
export const JWKS_MAX_AGE_SEC = 300
const OVERLAP_SEC = 3 * JWKS_MAX_AGE_SEC
/** Days that a key signs before it is replaced automatically. */
export const KEY_DAYS = 90

/** The public part of a key (RFC 8037), with the installation it signs for. */
export interface PublicKey {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  kid: string
  alg: 'EdDSA'
  use: 'sig'
  /** Additive to RFC 7517: the only `iss` of receipts under this key. */
  iss: string
}

export interface SigningKey {
  kid: string
  issuer: string
  key: KeyObject
}

interface Row {
  kid: string
  private_key: Buffer
  [column: string]: unknown
}

/** Returns the current signing key. Creates one if there is none for this installation's URL, or none that the master keys decrypt. */
export async function signingKey(): Promise<SigningKey> {
  const found = await usable()
  if (found) return found
  await transaction(async (connection) => {
    await connection.query(LOCK)
    // Another process may have created it while this one waited.
    if (!(await usable(connection))) await add(connection, 0)
  })
  const created = await usable()
  if (!created) throw new Error('There is no key to sign receipts with.')
  return created
}

/** Returns all public keys, including replaced ones, newest first. */
export async function publicKeys(): Promise<PublicKey[]> {
  const rows = await query<{ kid: string; public_key: string; issuer: string }>(
    'receipt-public-keys',
    'SELECT kid, public_key, issuer FROM receipt_key ORDER BY signs_from DESC, kid',
    [],
  )
  return rows.map(({ kid, public_key, issuer }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x: public_key,
    kid,
    alg: 'EdDSA',
    use: 'sig',
    iss: issuer,
  }))
}

/**
 * Creates a new key. It is published at once and signs a quarter of an hour later, when every cached copy of the public keys has it. With
 * `now`, it signs at once, and all other private keys are destroyed. Returns its `kid` and when it starts signing.
 */
export async function rotateSigningKey({ now = false } = {}): Promise<{ kid: string; signsFrom: Date }> {
  return transaction(async (connection) => {
    await connection.query(LOCK)
    const made = await add(connection, now ? 0 : OVERLAP_SEC)
    if (now) await connection.query('UPDATE receipt_key SET private_key = NULL WHERE kid <> $1 AND issuer = $2', [made.kid, env().BASE_URL])
    return made
  })
}

/** Replaces a key that has signed for KEY_DAYS, and destroys private keys whose successor signs. */
export async function maintainSigningKeys(): Promise<void> {
  await query('receipt-keys-destroy', DESTROY, [])
  const [due] = await query('receipt-key-due', DUE, [env().BASE_URL, KEY_DAYS])
  if (!due) return
  const { kid, signsFrom } = await rotateSigningKey()
  log().info({ kid, signsFrom }, 'published a new receipt key, which signs receipts after an overlap')
}

/** Column of the private keys, for sealing them under a new master key. */
export const SEALED_SIGNING_KEYS: SealedColumn = {
  table: 'receipt_key',
  id: 'kid',
  column: 'private_key',
  ownerOf: (kid) => `receipt ${kid}`,
}

const LOCK = `SELECT pg_advisory_xact_lock(hashtext('receipt-keys'))`
const USABLE = `
  SELECT kid, private_key FROM receipt_key WHERE issuer = $1 AND private_key IS NOT NULL AND signs_from <= service_clock()
  ORDER BY signs_from DESC, kid`
const DUE = `
  SELECT 1 FROM receipt_key WHERE issuer = $1 HAVING max(signs_from) < service_clock() - make_interval(days => $2)`
// One minute of margin for processes that have just read the replaced key.
const DESTROY = `
  UPDATE receipt_key old SET private_key = NULL WHERE private_key IS NOT NULL AND EXISTS (
    SELECT 1 FROM receipt_key next WHERE next.issuer = old.issuer AND next.private_key IS NOT NULL
      AND next.signs_from > old.signs_from AND next.signs_from < service_clock() - interval '1 minute')`

async function usable(on?: Runner): Promise<SigningKey | undefined> {
  const issuer = env().BASE_URL
  for (const { kid, private_key } of await query<Row>('receipt-signing-keys', USABLE, [issuer], on)) {
    try {
      const key = createPrivateKey({ key: unseal(private_key, SEALED_SIGNING_KEYS.ownerOf(kid)), format: 'der', type: 'pkcs8' })
      return { kid, issuer, key }
    } catch (error) {
      log().error({ err: (error as Error).message, kid }, 'skipped a receipt key that could not be decrypted')
    }
  }
  return undefined
}

async function add(connection: Runner, inSec: number): Promise<{ kid: string; signsFrom: Date }> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const jwk = publicKey.export({ format: 'jwk' }) as JWK
  const kid = await calculateJwkThumbprint(jwk)
  const sealed = seal(privateKey.export({ format: 'der', type: 'pkcs8' }), SEALED_SIGNING_KEYS.ownerOf(kid))
  const [row] = await query<{ signsFrom: Date }>(
    'receipt-key-add',
    `INSERT INTO receipt_key (kid, issuer, public_key, private_key, signs_from)
     VALUES ($1, $2, $3, $4, service_clock() + make_interval(secs => $5)) RETURNING signs_from AS "signsFrom"`,
    [kid, env().BASE_URL, jwk.x, sealed, inSec],
    connection,
  )
  return { kid, signsFrom: (row as { signsFrom: Date }).signsFrom }
}
