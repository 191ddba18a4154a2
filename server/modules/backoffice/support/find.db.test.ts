import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { makeEndpoint } from '../../../testing/make-endpoint.ts'
import { makeStaff } from '../../../testing/staff.ts'
import type { CreatedKey } from '../../access/keys/create-key.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { signToken } from '../../delivery/tokens/token.ts'
import { emit } from '../../webhooks/endpoints/emit.ts'
import { findAccounts } from './find.ts'
import { findInput, type SupportPage } from './schema.ts'
import { requireStaff, type StaffCtx } from './staff.ts'

await testDatabase()

let staff: StaffCtx
let owner: AccountCtx
let key: CreatedKey
let video: string
let endpoint: string
let event: string
const ids = (ctx: AccountCtx) => ctx.actor as { userId: string; email: string }

beforeAll(async () => {
  const person = await makeAccount()
  await makeStaff(person)
  staff = await requireStaff(person, 'req_test')
  owner = await makeAccount()
  await makeAccount()
  await db().account.update({ where: { id: owner.accountId }, data: { name: 'Lumière 100% Clips' } })
  key = await makeKey(owner)
  video = await makeVideo(owner)
  endpoint = (await makeEndpoint(owner, 'https://hooks.example.com/in')).id
  event = (await emit(db(), owner.accountId, 'wallet.refilled', { balance: '1', previousBalance: '0', credits: '1' })) as string
  const { accountId } = owner
  const upload = { keyId: key.id, fields: {}, maxBytes: 1n, expiresAt: new Date(), state: 'completed', endedAt: new Date() }
  await db().directUpload.create({ data: { ...upload, id: 'upl_ofthistest', accountId, videoId: video } })
  await db().directUpload.create({ data: { ...upload, id: 'upl_replacing', accountId, videoId: 'vid_media', fields: { replaces: video } } })
  await db().collection.create({ data: { id: 'col_ofthistest', accountId, name: 'Course' } })
  const call = {
    method: 'POST',
    operation: 'createPlaybackToken',
    path: '/',
    query: '',
    status: 200,
    checks: [],
    durationMs: 1,
    responseHeaders: {},
  }
  await db().loggedRequest.create({
    data: { ...call, id: 'req_ofthistest', accountId: owner.accountId, at: new Date(), keyId: key.id, tokenId: 'tok_ofthistest' },
  })
})

const find = (text: string) => findAccounts(staff, findInput.parse({ text }))

const WAYS: [string, () => string, SupportPage, () => string | null][] = [
  ['part of the name', () => 'lumière 100%', 'overview', () => null],
  ['part of a member’s address', () => ids(owner).email.slice(0, 18).toUpperCase(), 'overview', () => null],
  ['the account’s id', () => owner.accountId, 'overview', () => null],
  ['a member’s id', () => ids(owner).userId, 'overview', () => null],
  ['a key’s id', () => key.id, 'keys', () => key.id],
  ['a key’s prefix', () => key.prefix, 'keys', () => key.id],
  ['a key’s prefix as the dashboard writes it', () => ` ${key.prefix}… `, 'keys', () => key.id],
  ['the beginning of a prefix', () => key.prefix.slice(0, 10), 'keys', () => key.id],
  ['a whole key', () => key.value, 'keys', () => key.id],
  ['a video’s id', () => video, 'videos', () => video],
  ['a request id', () => 'req_ofthistest', 'requests', () => 'req_ofthistest'],
  ['a token’s id', () => 'tok_ofthistest', 'requests', () => 'req_ofthistest'],
  ['a webhook endpoint’s id', () => endpoint, 'webhooks', () => endpoint],
  ['an event’s id', () => event, 'webhooks', () => null],
  ['an upload’s id', () => 'upl_ofthistest', 'videos', () => video],
  ['the id of an upload that replaced a source', () => 'upl_replacing', 'videos', () => video],
  ['a collection’s id', () => 'col_ofthistest', 'videos', () => null],
  [
    'a whole token',
    () => signToken(SERVICE, { videoId: video, jti: 'tok_ofthistest', iat: 1_700_000_000 }),
    'requests',
    () => 'req_ofthistest',
  ],
]

test.each(WAYS)('findAccounts finds an account by %s', async (_, text, page, subject) => {
  const { found } = await find(text())
  expect(found).toEqual([
    {
      accountId: owner.accountId,
      name: 'Lumière 100% Clips',
      suspended: false,
      tier: 'FREE',
      owner: ids(owner).email,
      page,
      subject: subject(),
    },
  ])
})

test('findAccounts finds the video of a token without logged requests', async () => {
  const { by, found } = await find(signToken(SERVICE, { videoId: video, jti: 'tok_neverlogged', iat: 1_700_000_000 }))
  expect([by, found]).toMatchObject(['token', [{ accountId: owner.accountId, page: 'videos', subject: video }]])
})

test.each(['acc_', 'usr_', 'key_', 'vid_', 'req_', 'tok_'])(
  'findAccounts finds names and e-mail addresses that begin like an id (%s)',
  async (begin) => {
    const other = await makeAccount()
    const email = `${begin}${ids(other).userId.toLowerCase()}@example.com`
    const named = `${begin}studio${ids(other).userId.slice(4)}`
    await db().user.update({ where: { id: ids(other).userId }, data: { email } })
    await db().account.update({ where: { id: other.accountId }, data: { name: named } })
    for (const text of [email, email.slice(0, 20), named])
      expect(await find(text)).toMatchObject({ by: 'words', found: [{ accountId: other.accountId, page: 'overview' }] })
  },
)

test.each([
  '100_',
  '%%',
  'vid_nobody',
  'acc_nobody',
  'ak_live_zzzz',
  'ak_live_____',
  'ak_test_0123456789012345678901234567890',
  'req_nobody',
  'tok_nobody',
  'pt_nonsense',
  'pt_a.b.c',
  'pt_e30.e30.e30',
])('findAccounts finds nothing for %s, whatever its meaning in a pattern', async (text) => expect((await find(text)).found).toEqual([]))

test('findAccounts finds the accounts of the prefix for a key with a wrong last character', async () => {
  const wrong = key.value.slice(0, -1) + (key.value.endsWith('0') ? '1' : '0')
  expect((await find(wrong)).by).toBe('key-prefix')
})

test('findAccounts stores no pasted key', async () => {
  await find(key.value)
  const tables = await query<{ name: string }>(
    'all-tables',
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    [],
  )
  expect(tables.length).toBeGreaterThan(20)
  for (const { name } of tables) {
    const rows = await query<{ hits: number }>(`search-${name}`, `SELECT count(*)::int AS hits FROM ${name} AS t WHERE t::text LIKE $1`, [
      `%${key.value}%`,
    ])
    expect([name, rows[0]?.hits]).toEqual([name, 0])
  }
})
