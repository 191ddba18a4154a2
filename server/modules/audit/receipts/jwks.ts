import { services } from '../../../platform/container.ts'
import { log } from '../../../platform/observe/log.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { publicKeys, signingKey } from './signing-keys.ts'

/** The public keys as a serialized JWK set (RFC 7517 §5). */
export interface KeySet {
  body: string
  etag: string
}

/** Milliseconds that one read serves all requests, because the endpoint is public. */
const CACHE_MS = 2_000

interface Held {
  set?: KeySet
  readAt: number
  reading?: Promise<KeySet>
}

declare module '../../../platform/container.ts' {
  interface Services {
    receiptKeys: Held
  }
}

export const makeReceiptKeys = (): Held => ({ readAt: Number.NEGATIVE_INFINITY })
const held = () => services().receiptKeys

/**
 * Returns the content of /.well-known/jwks.json. Falls back to the last result if the database is unavailable, since keys are only added,
 * never removed.
 */
export async function keySet(): Promise<KeySet> {
  const holder = held()
  if (holder.set && performance.now() - holder.readAt < CACHE_MS) return holder.set
  holder.reading ??= read().finally(() => {
    holder.reading = undefined
  })
  try {
    holder.set = await holder.reading
    holder.readAt = performance.now()
    return holder.set
  } catch (error) {
    if (!holder.set) throw error
    log().warn({ err: (error as Error).message }, 'could not read the receipt keys; publishing the cached ones')
    return holder.set
  }
}

/** Creates the first key if there is none, so that a client that stores the keys before the first signature has it. */
async function read(): Promise<KeySet> {
  await signingKey()
  const body = JSON.stringify({ keys: await publicKeys() })
  return { body, etag: `"${sha256(body).toString('base64url').slice(0, 22)}"` }
}
