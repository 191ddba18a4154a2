import { createTRPCClient, httpLink } from '@trpc/client'
import superjson from 'superjson'
import type { AppRouter } from '#server/trpc/root'
import { consoleKeyName } from '../../../../_parts/console-keys'

/** A test key of the signed-in account, which only this page knows. */
export interface TemporaryKey {
  id: string
  value: string
  prefix: string
  expiresAt: Date
}

type Scope = Parameters<Client['key']['create']['mutate']>[0]['scopes'][number]
type Client = ReturnType<typeof createTRPCClient<AppRouter>>

const LIFE_MS = 15 * 60_000
/** A key with less time left is replaced. */
const LEAST_LEFT_MS = 60_000
const URL = '/api/trpc'

let client: Client | undefined
const connect = () => {
  client ??= createTRPCClient<AppRouter>({ links: [httpLink({ url: URL, transformer: superjson })] })
  return client
}

/** The keys of this page by scope, shared by the consoles of all operations. */
const keys = new Map<string, TemporaryKey>()

/**
 * Returns a test key with one scope that expires after 15 minutes, a new one where the page has none; `code` is the second factor of a member
 * who has one. Throws the refusal of the server.
 */
export async function temporaryKey(scope: string, code?: string): Promise<TemporaryKey> {
  const held = keys.get(scope)
  if (held && held.expiresAt.getTime() - Date.now() > LEAST_LEFT_MS) return held
  const expiresAt = new Date(Date.now() + LIFE_MS)
  const created = await connect().key.create.mutate({
    name: consoleKeyName(scope),
    environment: 'TEST',
    scopes: [scope as Scope],
    expiresAt,
    code,
  })
  if (keys.size === 0) addEventListener('pagehide', revokeAll)
  const key = { id: created.id, value: created.value, prefix: created.prefix, expiresAt }
  keys.set(scope, key)
  return key
}

/** Revokes the key of a scope. */
export async function revokeTemporaryKey(scope: string): Promise<void> {
  const held = keys.get(scope)
  if (!held) return
  keys.delete(scope)
  await connect().key.revoke.mutate({ keyId: held.id })
}

/** Revokes all keys of a page that closes: requests with `keepalive` outlive it. */
function revokeAll(): void {
  for (const { id } of keys.values()) {
    const body = JSON.stringify(superjson.serialize({ keyId: id }))
    void fetch(`${URL}/key.revoke`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, keepalive: true })
  }
  keys.clear()
}
