import { expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey } from '../../testing/make.ts'
import { keyLastHour } from './key-usage.ts'

await testDatabase()

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
const facts = { method: 'GET', path: '/v1/video', query: '', durationMs: 1, responseHeaders: {} }

function logged({ accountId }: AccountCtx, keyId: string, call: { operation: string; status: number; weight: number; at: Date }) {
  return db().loggedRequest.create({ data: { ...facts, ...call, id: newId('req'), accountId, keyId } })
}

it('keyLastHour counts successful requests of the last hour, weighted for sampling', async () => {
  const ctx = await makeAccount()
  const [key, other] = [await makeKey(ctx), await makeKey(ctx)]
  expect(await keyLastHour(ctx, { keyId: key.id })).toEqual({ requests: 0, tokens: 0 })
  await logged(ctx, key.id, { operation: 'getVideo', status: 200, weight: 40, at: minutesAgo(1) })
  await logged(ctx, key.id, { operation: 'createPlaybackToken', status: 200, weight: 2, at: minutesAgo(59) })
  // A refusal, an older request, and another key's request.
  await logged(ctx, key.id, { operation: 'getVideo', status: 404, weight: 500, at: minutesAgo(2) })
  await logged(ctx, key.id, { operation: 'getVideo', status: 200, weight: 700, at: minutesAgo(61) })
  await logged(ctx, other.id, { operation: 'getVideo', status: 200, weight: 900, at: minutesAgo(1) })
  expect(await keyLastHour(ctx, { keyId: key.id })).toEqual({ requests: 42, tokens: 2 })
  await expect(keyLastHour(await makeAccount(), { keyId: key.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
