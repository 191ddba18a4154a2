import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { ERRORS } from '../errors.ts'
import { env } from '../platform/config/config.ts'
import { services } from '../platform/container.ts'
import { renewProbe } from '../platform/database/database.ts'
import { testDatabase } from '../testing/database.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { expectLoggedErrors } from '../testing/logs.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { databaseProxy } from '../testing/services/database-proxy.ts'
import { provide } from '../testing/settings.ts'
import { cookieFor } from '../testing/sign-in.ts'

expectLoggedErrors(/canceling statement due to statement timeout/, /in a read-only transaction/, /not currently accepting connections/)

const { url } = await testDatabase()
const wire = await databaseProxy(url)
provide({ DATABASE_URL: wire.url })
services().statementSec = 1
// The listener has opened the probe's connection already, without the proxy.
await renewProbe()
const baseUrl = await startHttpServer()

let owner: AccountCtx
let keyId: string
let key: string
let videoId: string
let cookieOfReader: Promise<string>
beforeAll(async () => {
  owner = await makeAccount()
  const made = await makeKey(owner)
  keyId = made.id
  key = made.value
  videoId = await makeVideo(owner)
  cookieOfReader = cookieFor(owner)
  await cookieOfReader
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
  await expect.poll(async () => (await issue()).status).toBe(200)
  await expect.poll(async () => (await fetch(`${baseUrl}/readyz`)).status).toBe(200)
})

test('with a read-only database changes return 503 with Retry-After, and /readyz reports why', async () => {
  const headers = { 'x-service-key': key }
  const issue = () => fetch(`${baseUrl}/v1/video/${videoId}/playback-token`, { method: 'POST', headers })
  const admin = new pg.Client(url)
  await admin.connect()
  const name = pg.escapeIdentifier(new URL(url).pathname.slice(1))
  const setReadOnly = (value: 'on' | 'off') => admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`)
  expect((await issue()).status).toBe(200)
  await setReadOnly('on')
  // Connections that exist keep the old value, like those of a server that was the primary.
  wire.cut()
  wire.restore()
  const Cookie = await cookieOfReader
  await expect
    .poll(async () => (await fetch(`${baseUrl}/readyz`)).json())
    .toMatchObject({
      status: 'unavailable',
      checks: { database: 'is read-only' },
    })
  const refused = await issue()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await refused.json()).error.code).toBe('SERVICE_UNAVAILABLE')
  const title = Buffer.from('Late').toString('base64')
  const upload = await fetch(`${baseUrl}/api/upload`, {
    method: 'POST',
    headers: { Cookie, 'Tus-Resumable': '1.0.0', 'Upload-Length': '10', 'Upload-Metadata': `title ${title}` },
  })
  expect([upload.status, await upload.text()]).toEqual([503, ERRORS.SERVICE_UNAVAILABLE.message])
  expect((await fetch(`${baseUrl}/v1/video/${videoId}`, { headers })).status).toBe(200)

  await setReadOnly('off')
  await admin.end()
  // No connection is cut: those that failed are not used again.
  await expect.poll(async () => (await issue()).status).toBe(200)
  await expect.poll(async () => (await fetch(`${baseUrl}/readyz`)).status).toBe(200)
})

test('a database that a failover opens later returns 503 with Retry-After until it accepts connections', async () => {
  const issue = () => fetch(`${baseUrl}/v1/video/${videoId}/playback-token`, { method: 'POST', headers: { 'x-service-key': key } })
  const admin = new pg.Client(new URL('/postgres', url).href)
  await admin.connect()
  const name = pg.escapeIdentifier(new URL(url).pathname.slice(1))
  const setOpen = (value: boolean) => admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${value}`)
  await setOpen(false)
  wire.cut()
  wire.restore()
  const refused = await issue()
  expect([refused.status, refused.headers.get('retry-after'), (await refused.json()).error.code]).toEqual([503, '5', 'SERVICE_UNAVAILABLE'])

  await setOpen(true)
  await admin.end()
  await expect.poll(async () => (await issue()).status).toBe(200)
})
