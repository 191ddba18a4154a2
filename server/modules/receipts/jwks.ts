import { sha256 } from '../../platform/crypto.ts'
import { log } from '../../platform/log.ts'
import { processWide } from '../../platform/process-wide.ts'
import { publicKeys, signingKey } from './signing-keys.ts'

/** The public keys as a JWK set (RFC 7517 §5), rendered. */
export interface KeySet {
  body: string
  etag: string
}

/** The address is open to the world: one read in so many milliseconds serves all who ask. */
const KEEP_MS = 2_000

interface Held {
  set?: KeySet
  readAt: number
  reading?: Promise<KeySet>
}

const held = () => processWide('receipt-key-set', (): Held => ({ readAt: Number.NEGATIVE_INFINITY }))

/** What /.well-known/jwks.json answers. Without the database it is what was read last: keys are added, never taken away. */
export async function keySet(): Promise<KeySet> {
  const holder = held()
  if (holder.set && performance.now() - holder.readAt < KEEP_MS) return holder.set
  holder.reading ??= read().finally(() => {
    holder.reading = undefined
  })
  try {
    holder.set = await holder.reading
    holder.readAt = performance.now()
    return holder.set
  } catch (error) {
    if (!holder.set) throw error
    log().warn({ err: (error as Error).message }, 'the keys of receipts could not be read; those read before are published')
    return holder.set
  }
}

/** Who saves the keys before anything was signed has the one that will sign first. */
async function read(): Promise<KeySet> {
  await signingKey()
  const body = JSON.stringify({ keys: await publicKeys() })
  return { body, etag: `"${sha256(body).toString('base64url').slice(0, 22)}"` }
}
