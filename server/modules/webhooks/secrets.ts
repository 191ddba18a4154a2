import { LRUCache } from 'lru-cache'
import type { SealedColumn } from '../../platform/reseal.ts'
import { seal, unseal } from '../../platform/seal.ts'

/** Caches opened secrets: unsealing costs more than signing. A second copy in the pages' module graph holds the same secrets. */
const opened = new LRUCache<string, string>({ max: 2_000 })

/** Seals a signing secret for storage. */
export const sealSigningSecret = (secret: string, endpointId: string): Buffer<ArrayBuffer> => seal(Buffer.from(secret), endpointId)

/** Returns the secrets that sign for an endpoint now, the newest first. */
export function signingSecrets(endpoint: { id: string; secret: Uint8Array; previousSecret: Uint8Array | null }): string[] {
  const sealed = endpoint.previousSecret ? [endpoint.secret, endpoint.previousSecret] : [endpoint.secret]
  return sealed.map((one) => {
    const name = `${endpoint.id} ${Buffer.from(one).toString('base64')}`
    let secret = opened.get(name)
    if (secret === undefined) {
      secret = unseal(one, endpoint.id).toString()
      opened.set(name, secret)
    }
    return secret
  })
}

/** The columns with sealed secrets, for sealing them under a new master key. */
export const SEALED_SECRETS: SealedColumn[] = ['secret', 'previous_secret'].map((column) => ({
  table: 'webhook_endpoint',
  id: 'id',
  column,
  ownerOf: (id) => id,
}))
