import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { type FilteredPage, filteredStatement } from '../../../server/modules/videos/list/filter-list.ts'
import { db, pool, query } from '../../../server/platform/database/database.ts'
import { send } from '../../../server/testing/client.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey } from '../../../server/testing/make.ts'

await testDatabase()
const baseUrl = await startHttpServer()

const MANY = 20_000
let owner: AccountCtx
let other: AccountCtx
let key: string

/** Video number n: five share each moment; every 100th failed; one of 10 courses; unique lesson; every 2nd in `col_half`, the oldest 50 in `col_old`. */
const VIDEOS = `
  INSERT INTO video (id, account_id, title, status, target_quality, created_at, metadata, external_id)
  SELECT $2 || lpad(n::text, 6, '0'), $1, CASE WHEN n % 2 = 0 THEN 'clip ' ELSE 'Clip ' END || n,
    (CASE WHEN n % 100 = 0 THEN 'FAILED' ELSE 'COMPLETED' END)::"VideoStatus", '720p',
    timestamptz '2026-01-01' + (n / 5) * interval '1 second',
    jsonb_build_object('course', 'course ' || n % 10, 'lesson', n::text) || CASE WHEN n <= 300 THEN '{"old":"yes"}'::jsonb ELSE '{}' END,
    'id-' || n
  FROM generate_series(1, ${MANY}) AS n`
const MEMBERS = `
  INSERT INTO collection_video (collection_id, video_id, video_created_at)
  SELECT $1, id, created_at FROM video WHERE account_id = $2 AND `

beforeAll(async () => {
  owner = await makeAccount()
  other = await makeAccount()
  key = (await makeKey(owner)).value
  for (const [ctx, prefix] of [
    [owner, 'vid_a'],
    [other, 'vid_b'],
  ] as const)
    await query('test-videos', VIDEOS, [ctx.accountId, prefix])
  await db().collection.createMany({
    data: ['half', 'old', 'empty'].map((name) => ({ id: `col_${name}`, accountId: owner.accountId, name })),
  })
  await db().collection.create({ data: { id: 'col_foreign', accountId: other.accountId, name: 'half' } })
  const { accountId } = owner
  await pool().query(`${MEMBERS} right(id, 6)::int % 2 = 0`, ['col_half', accountId])
  await pool().query(`${MEMBERS} right(id, 6)::int <= 50`, ['col_old', accountId])
  await pool().query(`${MEMBERS} right(id, 6)::int <= 50`, ['col_foreign', other.accountId])
  await db().video.updateMany({ where: { id: 'vid_a019990' }, data: { deletedAt: new Date() } })
  await pool().query('ANALYZE video, video_metadata, collection, collection_video')
})

interface Page {
  status: number
  ids: string[]
  details?: { in: string; path: string; message: string }[]
  pagination?: { nextCursor: string | null; hasMore: boolean }
}
async function list(search: string): Promise<Page> {
  const { status, body } = await send(`${baseUrl}/v1/video${search}`, { headers: { 'x-service-key': key } })
  const { data, error, pagination } = JSON.parse(body)
  return { status, ids: data?.map(({ id }: { id: string }) => id), details: error?.details, pagination }
}

/** Returns the ids of all pages. */
async function walk(search: string): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = ''
  do {
    const { ids: more, pagination }: Page = await list(`?${search}&limit=500${cursor && `&cursor=${cursor}`}`)
    ids.push(...more)
    cursor = pagination?.nextCursor ?? null
  } while (cursor)
  return ids
}

const moment = (n: number) => Math.floor(n / 5)
const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + moment(n) * 1_000).toISOString()
const id = (n: number) => `vid_a${String(n).padStart(6, '0')}`
/** Returns the ids of the videos for which `is` holds, newest first, then by id. */
const expected = (is: (n: number) => boolean) =>
  Array.from({ length: MANY }, (_, index) => index + 1)
    .filter((n) => n !== 19_990 && is(n))
    .sort((a, b) => moment(b) - moment(a) || a - b)
    .map(id)

describe('filters of GET /v1/video', () => {
  test.each<[string, (n: number) => boolean]>([
    ['status=FAILED', (n) => n % 100 === 0],
    ['status=PENDING', () => false],
    ['collection=col_half', (n) => n % 2 === 0],
    ['collection=col_empty', () => false],
    ['collection=col_foreign', () => false],
    ['collection=col_half&status=FAILED', (n) => n % 100 === 0],
    ['externalId=id-7', (n) => n === 7],
    ['externalId=id-7&status=FAILED', () => false],
    ['metadata[course]=course%203', (n) => n % 10 === 3],
    ['metadata%5Bcourse%5D=course+3', (n) => n % 10 === 3],
    ['metadata[lesson]=17', (n) => n === 17],
    ['metadata[course]=course%204&metadata[old]=yes', (n) => n % 10 === 4 && n <= 300],
    ['metadata[course]=course%204&collection=col_old', (n) => n % 10 === 4 && n <= 50],
    ['metadata[course]=3', () => false],
    ['metadata[course%3Dcourse]=3', () => false],
    ['q=lip%20777', (n) => String(n).startsWith('777')],
    ['q=CLIP%2019', (n) => String(n).startsWith('19')],
    ['q=7', (n) => String(n).includes('7')],
    ['q=7&collection=col_half&status=FAILED', (n) => n % 100 === 0 && String(n).includes('7')],
    ['q=7&metadata[course]=course%203', (n) => n % 10 === 3 && String(n).includes('7')],
    ['q=%25', () => false],
    ['q=lip%201&metadata[old]=yes', (n) => n <= 300 && String(n).startsWith('1')],
    [`createdAfter=${at(19_900)}`, (n) => moment(n) > moment(19_900)],
    [`createdBefore=${at(100)}&metadata[course]=course%200`, (n) => moment(n) < moment(100) && n % 10 === 0],
    ['createdAfter=2026-01-02', () => false],
    ['createdAfter=2026-01-01', () => false],
    ['createdAfter=2025-12-31', () => true],
    ['createdBefore=2026-01-02', () => true],
    ['createdBefore=2026-01-01', () => false],
    [`createdAfter=2026-01-01T02:00:00%2B02:00&createdBefore=${at(50)}`, (n) => moment(n) > 0 && moment(n) < moment(50)],
  ])('%s', async (search, is) => {
    const ids = expected(is)
    expect(await walk(search)).toEqual(ids)
    expect(await walk(`${search}&sort=oldest`)).toEqual(ids.toReversed())
  })

  test('expand adds parts, and a video that changes its metadata changes its place', async () => {
    const { body } = await send(`${baseUrl}/v1/video?externalId=id-50&expand=metadata,collections`, { headers: { 'x-service-key': key } })
    expect(JSON.parse(body).data).toMatchObject([
      {
        id: id(50),
        externalId: 'id-50',
        metadata: { lesson: '50' },
        collections: [
          { id: 'col_half', name: 'half' },
          { id: 'col_old', name: 'old' },
        ],
      },
    ])
    await db().video.update({ where: { id: id(1) }, data: { metadata: { lesson: '1', course: 'other' } } })
    expect([
      await walk('metadata[course]=other'),
      await walk('metadata[old]=yes&metadata[lesson]=1'),
      await walk('metadata[lesson]=1'),
    ]).toEqual([[id(1)], [], [id(1)]])
    await db().video.update({ where: { id: id(1) }, data: { metadata: { lesson: '1', course: 'course 1', old: 'yes' } } })
  })

  test.each<[string, string]>([
    ['status=DONE', 'status'],
    ['status=', 'status'],
    ['status=FAILED&status=PENDING', 'status'],
    ['collection=x', 'collection'],
    ['externalId=', 'externalId'],
    ['externalId=%00', 'externalId'],
    [`externalId=${'x'.repeat(201)}`, 'externalId'],
    ['metadata=x', 'metadata'],
    ['metadata[]=x', 'metadata.'],
    ['metadata[a]=', 'metadata.a'],
    ['metadata[a]=1&metadata[a]=2', 'metadata.a'],
    ['metadata[a]=1&metadata=2', 'metadata'],
    ['metadata[__proto__]=1', 'metadata'],
    [`metadata[a]=${'x'.repeat(501)}`, 'metadata.a'],
    [[1, 2, 3, 4, 5, 6].map((n) => `metadata[n${n}]=x`).join('&'), 'metadata'],
    ['q=', 'q'],
    ['q=%00', 'q'],
    ['createdAfter=yesterday', 'createdAfter'],
    ['createdAfter=2026-02-30', 'createdAfter'],
    ['createdBefore=0000-01-01', 'createdBefore'],
    ['sort=title', 'sort'],
    ['limit=10&cursor=x', 'cursor'],
    ['status=FAILED&cursor=x', 'cursor'],
    ['limit=10&stauts=FAILED', 'stauts'],
    ['status=FAILED&page=2', 'page'],
    ['q=x&constructor=1', 'constructor'],
  ])('400 for %s', async (search, path) => {
    const { status, details } = await list(`?${search}`)
    expect([status, details]).toEqual([400, expect.arrayContaining([{ in: 'query', path, message: expect.any(String) }])])
  })

  test('a parameter that is not one of the list is ignored alone', async () => {
    for (const search of ['?page=2', '?page=2&page=3', '?stauts[x]=1', '?constructor=1&__proto__=1&toString=2']) {
      const { status, ids, pagination } = await list(search)
      expect([status, ids.length, pagination]).toEqual([200, MANY - 1, undefined])
    }
  })
})

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

async function planOf(input: FilteredPage, among?: number): Promise<Plan[]> {
  const { text, values } = filteredStatement(owner, input, among)
  const { rows } = await pool().query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
  const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]
  return flat((rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan)
}

describe.each(['newest', 'oldest'] as const)('the plan of a page among 20,000 videos, %s first', (sort) => {
  // Not a frequent text with metadata: all ways cost about the same, and the planner takes any of them.
  test.each<FilteredPage>([
    { status: 'FAILED' },
    { status: 'PENDING' },
    { collection: 'col_half' },
    { collection: 'col_old' },
    { collection: 'col_empty' },
    { externalId: 'id-7' },
    { metadata: { course: 'course 3' } },
    { metadata: { old: 'yes' } },
    { metadata: { lesson: '17' } },
    { metadata: { none: 'x' } },
    { metadata: { course: 'course 4' }, collection: 'col_half' },
    { metadata: { course: 'course 4', old: 'yes' }, createdBefore: at(300) },
    { q: 'lip 7777' },
    { q: 'clip' },
    { q: 'zebra' },
    { q: 'clip', collection: 'col_half' },
    { createdAfter: at(10_000) },
    { createdBefore: at(10_000) },
    { metadata: { course: 'course 3' }, createdBefore: at(10_000) },
    { collection: 'col_half', createdAfter: at(10_000), createdBefore: at(10_100) },
  ])('%j reads few rows, by indexes', async (filters) => {
    const cursors = [undefined, Buffer.from(JSON.stringify([at(9_000), id(9_000)])).toString('base64url')]
    for (const [cursor, among] of cursors.flatMap(
      (one) => (filters.q === undefined ? [[one]] : [[one], [one, 200]]) as [string?, number?][],
    )) {
      const plan = await planOf({ ...filters, sort, limit: 20, cursor }, among)
      // `collection` has four rows.
      expect(plan.filter((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== 'collection')).toEqual([])
      const read = plan.map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'])
      expect(Math.max(...read)).toBeLessThan(500)
    }
  })
})
