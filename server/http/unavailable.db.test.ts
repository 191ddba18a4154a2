import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { ERRORS } from '../errors.ts'
import { env } from '../platform/config.ts'
import { testDatabase } from '../testing/database.ts'
import { databaseProxy } from '../testing/database-proxy.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { expectLoggedErrors } from '../testing/logs.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { provide } from '../testing/settings.ts'
import { cookieFor } from '../testing/sign-in.ts'

expectLoggedErrors(/canceling statement due to statement timeout/)

const { url } = await testDatabase()
const wire = await databaseProxy(url)
provide({ DATABASE_URL: wire.url, DATABASE_TIMEOUT_SEC: '1' })
const baseUrl = await startHttpServer()

let owner: AccountCtx
let keyId: string
let key: string
let videoId: string
beforeAll(async () => {
  owner = await makeAccount()
  const made = await makeKey(owner)
  keyId = made.id
  key = made.value
  videoId = await makeVideo(owner)
})

test('a statement that takes too long is rolled back and returns 503; nothing is counted', async () => {
  const connection = new pg.Client(url)
  await connection.connect()
  await connection.query('BEGIN')
  await connection.query('SELECT 1 FROM api_key WHERE id = $1 FOR UPDATE', [keyId])
  const issue = () => fetch(`${baseUrl}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': key } })
  const refused = await issue()
  await connection.query('ROLLBACK')
  await connection.end()
  expect([refused.status, (await refused.json()).error.code]).toEqual([503, 'SERVICE_UNAVAILABLE'])
  expect((await issue()).headers.get('x-ratelimit-remaining')).toBe('999')
})

test('an upload that waits too long for the database receives a retry response, and can be resumed', async () => {
  const connection = new pg.Client(url)
  await connection.connect()
  await connection.query('BEGIN')
  await connection.query('SELECT 1 FROM account WHERE id = $1 FOR UPDATE', [owner.accountId])
  const Cookie = await cookieFor(owner)
  const title = Buffer.from('Late').toString('base64')
  const headers = { Cookie, 'Tus-Resumable': '1.0.0', 'Upload-Length': '10', 'Upload-Metadata': `title ${title}` }
  const begin = () => fetch(`${baseUrl}/api/upload`, { method: 'POST', headers })
  const refused = await begin()
  await connection.query('ROLLBACK')
  await connection.end()
  expect([refused.status, await refused.text()]).toEqual([503, ERRORS.SERVICE_UNAVAILABLE.message])
  expect((await begin()).status).toBe(201)
})

test('without its database the service returns 503 with Retry-After, and works again when it is back', async () => {
  const headers = { 'x-service-key': key }
  const get = () => fetch(`${baseUrl}/v1/video/${videoId}`, { headers })
  const issue = () => fetch(`${baseUrl}/v1/video/${videoId}/playback-token`, { method: 'POST', headers })
  expect([(await get()).status, (await issue()).status, (await fetch(`${baseUrl}/readyz`)).status]).toEqual([200, 200, 200])

  wire.cut()
  const refused = await issue()
  const body = await refused.json()
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe(String(body.error.retryAfter))
  expect(body).toMatchObject({ success: false, error: { code: 'SERVICE_UNAVAILABLE', status: 503 } })
  expect(JSON.stringify(body)).not.toContain(env().DATABASE_URL)
  expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200)
  await expect.poll(async () => (await fetch(`${baseUrl}/readyz`)).status).toBe(503)

  wire.restore()
  await expect.poll(async () => (await issue()).status, { timeout: 10_000 }).toBe(200)
  await expect.poll(async () => (await fetch(`${baseUrl}/readyz`)).status).toBe(200)
})
