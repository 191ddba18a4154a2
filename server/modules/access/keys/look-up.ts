import type { AccountId } from '../../../context.ts'
import { services } from '../../../platform/container.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { asService } from '../../../platform/turns/caller.ts'
import type { Scope } from '../../../scopes.ts'
import { type Accepted, acceptedOf, isActiveKey, KEY_END } from './active.ts'
import { type Networks, networksOf } from './ip-ranges.ts'

/** A working key with the fields that the REST API uses. */
export interface AuthenticatedKey {
  id: string
  accountId: AccountId
  scopes: readonly Scope[]
  environment: 'LIVE' | 'TEST'
  /** When it stops working, in milliseconds since 1970, if it expires or is being rotated out. */
  endsAt: number | undefined
  /** Networks that the key can be used from. Undefined means any. */
  networks: Networks | undefined
  /** When this process last accepted a request with it. */
  accepted: Accepted
  /** Whether its account is suspended. The key is then recognized, but every request is refused. */
  suspended: boolean
}

interface Waiting {
  /** SHA-256 of the key's value, hexadecimal. */
  digest: string
  resolve(key: AuthenticatedKey | undefined): void
  reject(error: unknown): void
}

/** Limits the size of a statement. */
const MAX_BATCH = 500
/** A statement that takes longer may never complete (its connection was cut silently), so the next one stops waiting for it. */
const STATEMENT_TIMEOUT_MS = 2_000

/**
 * Finds keys in the database. Lookups that arrive while a statement runs share the next one. Anyone can send invented values with a correct
 * checksum; any number of them occupies only one pool connection.
 */
export class KeyLookUps {
  private waiting: Waiting[] = []
  /** When the running statement began. */
  private runningSince: number | undefined

  /** Returns the working key with this hash, or undefined. */
  find(digest: string): Promise<AuthenticatedKey | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ digest, resolve, reject })
      if (this.runningSince !== undefined && performance.now() - this.runningSince < STATEMENT_TIMEOUT_MS) return
      this.runningSince = performance.now()
      setImmediate(() => void this.drain())
    })
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const callers = this.waiting.splice(0, MAX_BATCH)
      this.runningSince = performance.now()
      try {
        const found = await asService(() => load(callers.map(({ digest }) => Buffer.from(digest, 'hex'))))
        for (const { digest, resolve } of callers) resolve(found.get(digest))
      } catch (error) {
        for (const { reject } of callers) reject(error)
      }
    }
    this.runningSince = undefined
  }
}

interface Row {
  digest: string
  id: string
  account_id: string
  scopes: Scope[]
  environment: 'LIVE' | 'TEST'
  ends_in_ms: number | null
  allowed_ips: string[] | null
  suspended: boolean
}

async function load(hashes: Buffer[]): Promise<Map<string, AuthenticatedKey>> {
  const rows = await query<Row>(
    'keys-by-hash',
    `SELECT encode(hash, 'hex') AS digest, id, account_id, scopes, environment, suspended,
       NULLIF(allowed_ips, '{}') AS allowed_ips, (extract(epoch FROM ${KEY_END} - service_now()) * 1000)::float8 AS ends_in_ms
     FROM api_key k WHERE hash = ANY ($1::bytea[]) AND ${isActiveKey('service_now()')}`,
    [hashes],
    vital(),
  )
  return new Map(rows.map((row) => [row.digest, keyFrom(row)]))
}

function keyFrom({ id, account_id, scopes, environment, suspended, ends_in_ms, allowed_ips }: Row): AuthenticatedKey {
  // Relative to the database's current time, so that an error in this process's clock has no effect.
  const endsAt = ends_in_ms === null ? undefined : Date.now() + ends_in_ms
  return {
    id,
    accountId: account_id as AccountId,
    scopes,
    environment,
    endsAt,
    networks: allowed_ips ? networksOf(allowed_ips) : undefined,
    accepted: acceptedOf(id),
    suspended,
  }
}

declare module '../../../platform/container.ts' {
  interface Services {
    keyLookUps: KeyLookUps
  }
}

export const keyLookUps = () => services().keyLookUps
