import pg from 'pg'
import { beforeAll, expect, test, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { makePlayable } from '../../../testing/media/playable.ts'
import { startWebProcesses, type WebProcess } from '../../../testing/services/web-process.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import type { CreatedKey } from '../../access/keys/create-key.ts'
import { sessionFromCookies } from '../sessions/session.ts'
import { restoreAccount, suspendAccount } from './delete-account.ts'

const { url: databaseUrl } = await testDatabase()

let processes: WebProcess[]
let owner: AccountCtx
let key: CreatedKey
let operator: AccountCtx
const REASON = 'Spam, ticket 12'

beforeAll(async () => {
  processes = await startWebProcesses(3)
  owner = await makeAccount()
  key = await makeKey(owner)
  operator = { ...owner, actor: { kind: 'operator' } }
})

const codeOf = ({ status, body }: { status: number; body: string }) =>
  status < 400 ? status : ((JSON.parse(body) as { error: { code: string } }).error.code ?? status)
const ask = async (process: WebProcess, path: string, value: string, method = 'GET') =>
  codeOf(await send(process.url + path, { method, headers: { 'x-service-key': value } }))

/** Returns the responses of each process to each call, in one list. */
const everywhere = (calls: ((process: WebProcess) => Promise<unknown>)[]) =>
  Promise.all(processes.flatMap((process) => calls.map((call) => call(process))))
const all = (count: number, answer: unknown) => Array.from({ length: count }, () => answer)

test('keys, tokens, exchanges, playlists, decryption keys and plain segments are refused in every process until the restoration', async () => {
  const playable = await makePlayable(owner)
  const plain = await makePlayable(owner, { encrypted: false })
  const manifest = await send(`${processes[0]?.url}/v1/video/${playable.id}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': key.value },
  })
  const { token } = (JSON.parse(manifest.body) as { data: { token: string } }).data
  const withKey = [
    ['GET', '/v1/video'],
    ['GET', `/v1/video/${playable.id}`],
    ['GET', '/v1/video/vid_unknown'],
    ['POST', `/v1/video/${playable.id}/playback-token`],
  ] as const
  const asKey = withKey.map(
    ([method, path]) =>
      (process: WebProcess) =>
        ask(process, path, key.value, method),
  )
  const asViewer = [`/v1/video/playback/manifest/${token}`, ...playable.granted, ...plain.granted, plain.segment].map(
    (path) => (process: WebProcess) => ask(process, path, key.value),
  )
  const served = await everywhere([...asKey, ...asViewer])
  expect(served.filter((answer) => answer !== 200)).toEqual(all(3, 'VIDEO_NOT_FOUND'))

  await suspendAccount(operator, { reason: REASON })
  await vi.waitFor(async () => expect(await everywhere(asKey)).toEqual(all(12, 'ACCOUNT_SUSPENDED')))
  await vi.waitFor(async () => {
    const responses = await everywhere(asViewer)
    expect(new Set(responses)).toEqual(new Set(['VIDEO_NOT_FOUND', 'NOT_FOUND']))
  })
  for (let round = 0; round < 5; round++) {
    expect(await everywhere(asKey)).toEqual(all(12, 'ACCOUNT_SUSPENDED'))
    expect(await everywhere(asViewer)).not.toContain(200)
  }
  // Ciphertext whose key is refused.
  expect(await ask(processes[0] as WebProcess, playable.segment, '')).toBe(200)

  await restoreAccount(operator, { reason: 'Settled' })
  await vi.waitFor(async () => expect(await everywhere([...asKey, ...asViewer])).toEqual(served))
})

test('the refusal of the suspension follows those of the key and its network, and precedes that of its scope', async () => {
  const [process] = processes as [WebProcess]
  const foreign = await makeKey(owner, { allowedIps: ['192.0.2.0/24'] })
  const billing = await makeKey(owner, { scopes: ['billing:read'] })
  await suspendAccount(operator, { reason: REASON })
  try {
    await vi.waitFor(async () => expect(await ask(process, '/v1/video', billing.value)).toBe('ACCOUNT_SUSPENDED'))
    expect(await ask(process, '/v1/video', foreign.value)).toBe('IP_NOT_ALLOWED')
    expect(await ask(process, '/v1/video', `${billing.value.slice(0, -1)}!`)).toBe('INVALID_API_KEY')
  } finally {
    await restoreAccount(operator, { reason: 'Settled' })
  }
})

test.each([
  ['a call', {}],
  ['a call with an Idempotency-Key', { 'Idempotency-Key': 'one' }],
])('%s whose statement began before the suspension and waited for it issues no token', async (_name, headers) => {
  const [process] = processes as [WebProcess]
  const videoId = await makeVideo(owner)
  const { id: keyId, value } = await makeKey(owner)
  expect(await ask(process, '/v1/video', value)).toBe(200)
  const holder = new pg.Client({ connectionString: databaseUrl })
  await holder.connect()
  await holder.query('BEGIN')
  await holder.query('SELECT 1 FROM api_key WHERE account_id = $1 ORDER BY id FOR NO KEY UPDATE', [owner.accountId])
  const waiting = send(`${process.url}/v1/video/${videoId}/playback-token`, {
    method: 'POST',
    headers: { 'x-service-key': value, ...headers },
  })
  const waits = async () =>
    (
      await db().$queryRaw<unknown[]>`SELECT 1 FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%FOR SHARE OF k%'`
    ).length
  await expect.poll(waits, { interval: 5 }).toBeGreaterThan(0)
  // As in suspendAccount(), and later than the start of the waiting statement.
  await holder.query('UPDATE account SET suspended_at = clock_timestamp(), suspension_reason = $2 WHERE id = $1', [owner.accountId, REASON])
  await holder.query('COMMIT')
  await holder.end()
  expect(codeOf(await waiting)).toBe('ACCOUNT_SUSPENDED')
  expect((await db().keyDay.aggregate({ where: { keyId }, _sum: { issued: true } }))._sum.issued ?? 0).toBe(0)
  await restoreAccount(operator, { reason: 'Settled' })
})

test('its members can sign in, begin no upload in any process, and a key created concurrently is suspended with it', async () => {
  const cookie = await cookieFor(owner)
  const begin = async ({ url }: WebProcess) =>
    (
      await send(`${url}/api/upload`, {
        method: 'POST',
        headers: {
          cookie,
          'tus-resumable': '1.0.0',
          'upload-length': 10,
          'upload-metadata': `title ${btoa('Clip')},filename ${btoa('clip.mp4')}`,
        },
      })
    ).status
  expect(await everywhere([begin])).toEqual(all(3, 201))
  const [late] = await Promise.all([makeKey(owner), suspendAccount(operator, { reason: REASON })])
  expect(await everywhere([begin])).toEqual(all(3, 403))
  expect(await sessionFromCookies(cookie)).toMatchObject({ accountId: owner.accountId, suspended: true })
  expect(await db().apiKey.findUnique({ where: { id: late.id }, select: { suspended: true } })).toEqual({ suspended: true })
  await restoreAccount(operator, { reason: 'Settled' })
})

test('records the reason, and returns CONFLICT for a second suspension', async () => {
  const before = await db().auditEntry.count({ where: { accountId: owner.accountId } })
  await suspendAccount(operator, { reason: REASON })
  await expect(suspendAccount(operator, { reason: REASON })).rejects.toMatchObject({ code: 'CONFLICT' })
  await expect(suspendAccount(owner, { reason: REASON })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await restoreAccount(operator, { reason: 'Settled' })
  await expect(restoreAccount(operator, { reason: 'Settled' })).rejects.toMatchObject({ code: 'CONFLICT' })
  const rows = await db().auditEntry.findMany({ where: { accountId: owner.accountId }, orderBy: { id: 'asc' }, skip: before })
  expect(rows).toMatchObject([
    { action: 'support.suspend', actor: 'operator', subject: owner.accountId, after: { reason: REASON } },
    { action: 'support.restore', actor: 'operator', before: { reason: REASON }, after: { reason: 'Settled' } },
  ])
})
