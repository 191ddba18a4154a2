import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import type { CreatedKey } from '../modules/access/keys/create-key.ts'
import { newKeyValue } from '../modules/access/keys/format.ts'
import { query } from '../platform/database/database.ts'
import { send } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../testing/make.ts'
import { databaseProxy } from '../testing/services/database-proxy.ts'
import { startWebProcess, type WebProcess } from '../testing/services/web-process.ts'

const { url } = await testDatabase()
const wire = await databaseProxy(url)
let server: WebProcess
let owner: AccountCtx
let videoId: string
let stranger: AccountCtx
let strangersVideoId: string
beforeAll(async () => {
  server = await startWebProcess({ settings: { DATABASE_POOL: '4', DATABASE_URL: wire.url } })
  owner = await makeAccount()
  videoId = await makeVideo(owner)
  stranger = await makeAccount()
  strangersVideoId = await makeVideo(stranger)
})

const issue = (key: CreatedKey, headers: Record<string, string> = {}, id = videoId) =>
  send(`${server.url}/v1/video/${id}/playback-token`, { method: 'POST', headers: { 'x-service-key': key.value, ...headers } })

test.each([
  ['with one Idempotency-Key', () => ({ 'Idempotency-Key': 'same' })],
  ['each with another Idempotency-Key', (at: number) => ({ 'Idempotency-Key': `order-${at}` })],
  ['without any', () => ({})],
])('30 calls of one key that wait in the database, %s, leave connections for other accounts', async (_, headers) => {
  const [stuck, other] = [await makeKey(owner), await makeKey(stranger)]
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query('BEGIN')
  await admin.query('SELECT 1 FROM api_key WHERE id = $1 FOR UPDATE', [stuck.id])
  const waiting = Promise.all(Array.from({ length: 30 }, (_, at) => issue(stuck, headers(at))))
  // Not through `admin`: inside its transaction the view would not change.
  const waits = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
  await expect.poll(async () => (await query('', waits, [])).length).toBeGreaterThan(0)
  expect((await issue(other, {}, strangersVideoId)).status).toBe(200)
  expect((await issue(other, { 'Idempotency-Key': 'mine' }, strangersVideoId)).status).toBe(200)
  await admin.query('COMMIT')
  await admin.end()
  expect(new Set((await waiting).map(({ status }) => status))).toEqual(new Set([200]))
})

test('400 invented keys at once take a few statements, and each is refused; a real one among them works', async () => {
  const real = await makeKey(owner)
  const values = [...Array.from({ length: 400 }, () => newKeyValue('LIVE')), real.value]
  const before = wire.messages()
  const answers = await Promise.all(values.map((value) => send(`${server.url}/v1/video`, { headers: { 'x-service-key': value } })))
  expect(answers.slice(0, -1).filter(({ status, body }) => status === 401 && body.includes('INVALID_API_KEY'))).toHaveLength(400)
  expect(answers.at(-1)?.status).toBe(200)
  expect(wire.messages() - before).toBeLessThan(200)
})
