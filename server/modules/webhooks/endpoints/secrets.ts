import { LRUCache } from 'lru-cache'
import { services } from '../../../platform/container.ts'
import type { SealedColumn } from '../../../platform/database/reseal.ts'
import { seal, unseal } from '../../../platform/secrets/seal.ts'

declare module '../../../platform/container.ts' {
  interface Services {
    /** Opened secrets by endpoint and sealed bytes: unsealing costs more than signing. */
    openedSecrets: LRUCache<string, string>
  }
}

export const makeOpenedSecrets = () => new LRUCache<string, string>({ max: 2_000 })

/** Seals a signing secret for storage. */
export const sealSigningSecret = (secret: string, endpointId: string): Buffer<ArrayBuffer> => seal(Buffer.from(secret), endpointId)

/** Returns the secrets that currently sign for an endpoint, newest first. */
export function signingSecrets(endpoint: { id: string; secret: Uint8Array; previousSecret: Uint8Array | null }): string[] {
  const { openedSecrets } = services()
  const sealed = endpoint.previousSecret ? [endpoint.secret, endpoint.previousSecret] : [endpoint.secret]
  return sealed.map((one) => {
    const name = `${endpoint.id} ${Buffer.from(one).toString('base64')}`
    let secret = openedSecrets.get(name)
    if (secret === undefined) {
      secret = unseal(one, endpoint.id).toString()
      openedSecrets.set(name, secret)
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
