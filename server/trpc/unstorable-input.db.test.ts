import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { encodeCursor } from '../platform/database/cursor.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount } from '../testing/make.ts'
import { makeStaff } from '../testing/staff.ts'
import { appRouter } from './root.ts'

await testDatabase()
let owner: AccountCtx
let staff: AccountCtx
beforeAll(async () => {
  owner = await makeAccount()
  staff = await makeAccount()
  await makeStaff(staff)
})

type Procedure = (input: object) => Promise<unknown>

async function refusalOf(name: string, input: object): Promise<unknown> {
  const session = name.startsWith('support') ? staff : owner
  const caller = appRouter.createCaller({ visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true })
  const [group = '', procedure = ''] = name.split('.')
  const call = (caller as unknown as Record<string, Record<string, Procedure>>)[group]?.[procedure] as Procedure
  const error = await call(input).catch((thrown: Error & { cause?: { code?: string } }) => thrown)
  const { cause } = error as { cause?: { code?: string; name?: string } }
  return cause?.name === 'ZodError' ? 'INVALID_REQUEST' : cause?.code
}

const FIRST = { from: '0001-01-01', to: '0001-01-02' }
const LAST = { from: '9999-12-30', to: '9999-12-31' }
const BEFORE = new Date(-8.64e15)

test.each<[string, object, string?]>([
  ['collection.add', { collectionId: 'col_a', videoId: '\0' }, 'VIDEO_NOT_FOUND'],
  ['collection.take', { collectionId: 'col_a', videoId: '\0' }, 'VIDEO_NOT_FOUND'],
  ['key.create', { name: 'Backend', environment: 'LIVE', scopes: ['video:read'], expiresAt: BEFORE }],
  ['webhook.replaySince', { endpointId: 'whe_a', which: 'failed', since: BEFORE }],
  ['receipt.list', { subject: '\0' }],
  ['receipt.list', { cursor: '\0' }],
  ['receipt.keyStop', { keyId: '\0' }],
  ['library.count', FIRST],
  ['library.count', LAST],
  ['traffic.usage', FIRST],
  ['traffic.key', { keyId: 'key_a', ...FIRST }],
  ['traffic.key', { keyId: '\0' }],
  ['traffic.requests', { search: 'a\0b' }],
  ['viewing.report', { videoId: 'vid_a', ...FIRST }],
  ['viewing.viewers', FIRST],
  ['viewing.viewers', { videoId: '\0' }],
  ['viewing.delivered', { videoId: '\0' }],
  ['viewing.peopleCounts', { videoId: '\0' }],
  ['viewing.watchers', { videoId: '\0' }],
])('%s refuses %j, which the database cannot store', async (name, input, code = 'INVALID_REQUEST') => {
  expect(await refusalOf(name, input)).toBe(code)
})

test.each(['2026-02-30T00:00:00.000', '0000-01-01T00:00:00.000', '...-...-TT:::......:::T'])(
  'a cursor of notes that names the moment %s is refused',
  async (moment) => {
    const cursor = encodeCursor([moment, 'nte_a'])
    expect(await refusalOf('support.notes', { accountId: owner.accountId, cursor })).toBe('INVALID_REQUEST')
  },
)
