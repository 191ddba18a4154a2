import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { startWebProcess } from '../../../testing/services/web-process.ts'
import { provide } from '../../../testing/settings.ts'
import { trafficCollector } from '../../analytics/requests/collector.ts'
import { getKey } from '../../dashboard/get-key.ts'
import { restrictKey } from './change-key.ts'

await testDatabase()
const baseUrl = await startHttpServer()
let owner: AccountCtx
let videoId: string
beforeAll(async () => {
  owner = await makeAccount()
  videoId = await makeVideo(owner)
})

const ask = async (key: string, { forwarded, path = '/v1/video', method = 'GET', url = baseUrl }: Asking = {}) => {
  const headers = { 'x-service-key': key, ...(forwarded && { 'x-forwarded-for': forwarded }) }
  const { status, body } = await send(url + path, { method, headers })
  return { status, error: JSON.parse(body).error }
}
interface Asking {
  forwarded?: string
  path?: string
  method?: string
  url?: string
}
const bound = (...allowedIps: string[]) => makeKey(owner, { allowedIps })

test('accepts a key bound to networks from them, and returns 403 with the seen address from elsewhere on every endpoint', async () => {
  const [inside, outside] = [await bound('127.0.0.0/8'), await bound('203.0.113.0/24', '2001:db8::/32')]
  const token = `/v1/video/${videoId}/playback-token`
  for (const [path, method] of [['/v1/video'], [`/v1/video/${videoId}`], [token, 'POST']] as const) {
    expect((await ask(inside.value, { path, method })).status).toBe(200)
    expect(await ask(outside.value, { path, method })).toMatchObject({
      status: 403,
      error: { code: 'IP_NOT_ALLOWED', status: 403, details: { address: '127.0.0.1' } },
    })
  }
  // A refused request is counted on the key and uses no quota.
  await trafficCollector().flush()
  expect((await getKey(owner, { keyId: outside.id })).today).toEqual({ requests: 3, issued: 0, refused: 0, counted: 0 })
})

test('checks the address after the key and before scope, input and existence', async () => {
  const { value } = await makeKey(owner, { scopes: ['billing:read'], allowedIps: ['203.0.113.1'] })
  for (const path of ['/v1/video', '/v1/video?limit=0', '/v1/video/vid_nobodysvideo'])
    expect((await ask(value, { path })).error.code).toBe('IP_NOT_ALLOWED')
  expect((await ask(`${value.slice(0, -1)}!`)).error.code).toBe('INVALID_API_KEY')
})

test('ignores X-Forwarded-For without a trusted proxy', async () => {
  const { value } = await bound('203.0.113.7')
  expect(await ask(value, { forwarded: '203.0.113.7' })).toMatchObject({ status: 403, error: { details: { address: '127.0.0.1' } } })
})

describe('behind a trusted proxy', () => {
  test.each([
    ['203.0.113.7', 200],
    ['198.51.100.1, 203.0.113.7', 200],
    ['203.0.113.7, 198.51.100.1', 403],
    ['2001:db8::1', 200],
    ['2001:DB8:0:0:0:0:0:2', 200],
    ['2001:db9::1', 403],
    ['::ffff:203.0.113.9', 200],
    ['nonsense', 403],
    // Without the header, the address of the proxy counts.
    [undefined, 403],
  ])('%s: %s', async (forwarded, status) => {
    const { value } = await bound('203.0.113.0/24', '2001:db8::/32')
    provide({ TRUST_PROXY: 'true' })
    expect((await ask(value, { forwarded })).status).toBe(status)
    provide({ TRUST_PROXY: 'false' })
  })
})

test('applies a change of the allowlist at once in every process that cached the key', async () => {
  const elsewhere = await startWebProcess()
  const { id: keyId, value } = await makeKey(owner)
  const both = async () => [(await ask(value)).status, (await ask(value, { url: elsewhere.url })).status]
  for (let round = 0; round < 3; round++) expect(await both()).toEqual([200, 200])
  const [free, closed] = [
    { expiresAt: null, allowedIps: [] as string[] },
    { expiresAt: null, allowedIps: ['203.0.113.0/24'] },
  ]
  await restrictKey(owner, { keyId, ...closed, expected: free })
  await expect.poll(both, { interval: 5 }).toEqual([403, 403])
  await restrictKey(owner, { keyId, ...free, expected: closed })
  await expect.poll(both, { interval: 5 }).toEqual([200, 200])
})
