import { afterEach, expect, it, vi } from 'vitest'
import { newIdempotencyKey } from '../sdk/src/idempotency-key.ts'
import { constructEvent } from '../sdk/src/webhooks.ts'

/** What a browser offers to a page over http. */
const plain = () => vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
afterEach(() => void vi.unstubAllGlobals())

it('makes idempotency keys in a page over http', () => {
  plain()
  const keys = Array.from({ length: 100 }, newIdempotencyKey)
  expect(new Set(keys).size).toBe(100)
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/)
})

it('says why webhooks cannot be verified there', async () => {
  plain()
  await expect(constructEvent('{}', 't=1,v1=a', 'whsec_x')).rejects.toThrow('Verify webhooks on a server: Web Crypto is missing here.')
})
