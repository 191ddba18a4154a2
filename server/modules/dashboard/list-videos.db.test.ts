import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { pool, query } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { createCollection } from '../videos/collections/collections.ts'
import type { DashboardListInput, ListSort } from '../videos/list/list-schema.ts'
import { listForDashboard, pageStatement } from './list-videos.ts'

await testDatabase()

const MANY = 10_000
let ctx: AccountCtx

beforeAll(async () => {
  ctx = await makeAccount()
  // With descriptions as long as usual: the planner compares whole tables with single rows.
  const columns = 'description, id, account_id, title, status, target_quality, duration_sec, created_at'
  // Five videos share each time and each length, so that ids decide as well.
  await query(
    'test-many-videos',
    `INSERT INTO video (${columns})
     SELECT repeat('All about it. ', 15), 'vid_' || md5(n::text), $1, CASE WHEN n % 2 = 0 THEN 'clip ' ELSE 'Clip ' END || n,
       (CASE WHEN n % 100 = 0 THEN 'FAILED' ELSE 'COMPLETED' END)::"VideoStatus", '720p', n / 5,
       timestamptz '2026-01-01' + (n / 5) * interval '1 second'
     FROM generate_series(1, ${MANY}) AS n`,
    [ctx.accountId],
  )
  // Another account has as many videos with the same titles.
  const other = await makeAccount()
  await query(
    'test-deleted-videos',
    `INSERT INTO video (${columns}, deleted_at)
     SELECT NULL, 'vid_gone' || n, $1, 'Gone ' || n, 'COMPLETED', '720p', n, timestamptz '2026-02-01' + n * interval '1 second',
       service_now() - interval '1 hour' FROM generate_series(1, 120) AS n`,
    [ctx.accountId],
  )
  await query(
    'test-other-videos',
    `INSERT INTO video (${columns})
     SELECT repeat('All about it. ', 15), 'vid_other' || n, $1, 'Clip ' || n, 'COMPLETED', '720p', n, timestamptz '2026-02-01' + n * interval '1 second'
     FROM generate_series(1, ${MANY}) AS n`,
    [other.accountId],
  )
  await pool().query('ANALYZE video')
})

/** Returns every id of the list, page by page, and the last cursor but one. */
async function walk(input: DashboardListInput): Promise<{ ids: string[]; late: string | undefined }> {
  const ids: string[] = []
  let late: string | undefined
  let cursor: string | undefined
  do {
    const page = await listForDashboard(ctx, { ...input, cursor })
    ids.push(...page.videos.map(({ id }) => id))
    if (page.nextCursor) late = page.nextCursor
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  return { ids, late }
}

interface Plan {
  'Node Type': string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

async function planOf(input: DashboardListInput): Promise<Plan[]> {
  const { text, values } = pageStatement(ctx, input)
  const { rows } = await pool().query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
  const flat = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flat)]
  return flat((rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan)
}

describe.each(['newest', 'oldest', 'title', 'longest'] as ListSort[])('listForDashboard, %s first, among 10,000', (sort) => {
  it('lists each video once and reads no more rows for the last page than for the first', async () => {
    const { ids, late } = await walk({ sort })
    expect(ids).toHaveLength(MANY)
    expect(new Set(ids).size).toBe(MANY)
    for (const cursor of [undefined, late]) {
      const plan = await planOf({ sort, cursor })
      const kinds = plan.map((node) => node['Node Type'])
      expect(kinds).not.toContain('Seq Scan')
      expect(kinds.some((kind) => kind.includes('Index'))).toBe(true)
      const read = plan.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0))
      expect(Math.max(...read)).toBeLessThan(200)
    }
  })
})

it('listForDashboard reads few rows for a rare status, in the order of the list', async () => {
  const { ids } = await walk({ filter: 'FAILED' })
  expect(ids).toHaveLength(MANY / 100)
  const plan = await planOf({ filter: 'FAILED' })
  expect(Math.max(...plan.map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)))).toBeLessThan(200)
})

/** Returns the maximum number of rows that a step of the plan has read. */
async function mostRead(input: DashboardListInput): Promise<number> {
  return Math.max(...(await planOf(input)).map((node) => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)))
}

it.each<[string, DashboardListInput, number]>([
  ['part of few titles', { search: 'lip 777' }, 11],
  ['part of one title, in other letters', { search: 'CLIP 9999' }, 1],
  ['part of every title', { search: 'clip' }, MANY],
  ['part of no title', { search: 'zebra' }, 0],
  ['part of no title, by title', { search: 'zebra', sort: 'title' }, 0],
  ['part of few titles, of one status', { search: 'lip 77', filter: 'FAILED' }, 1],
  ['a whole id', { search: 'vid_gone1' }, 0],
  ['a whole id among the deleted', { search: 'vid_gone1', filter: 'DELETED' }, 1],
])('listForDashboard finds %s without reading the whole list', async (_what, input, count) => {
  expect((await walk(input)).ids).toHaveLength(count)
  expect(await mostRead(input)).toBeLessThan(200)
})

it.each(['newest', 'oldest', 'title', 'longest'] as ListSort[])(
  'listForDashboard reads only deleted videos for DELETED, %s first',
  async (sort) => {
    expect((await walk({ filter: 'DELETED', sort })).ids).toHaveLength(120)
    expect(await mostRead({ filter: 'DELETED', sort })).toBeLessThan(200)
  },
)

it('listForDashboard sorts by the requested order', async () => {
  const mine = await makeAccount()
  const [b, a, c] = await Promise.all([
    makeVideo(mine, { title: 'banana', durationSec: 5, createdAt: new Date('2026-01-02') }),
    makeVideo(mine, { title: 'Apple', durationSec: 50, createdAt: new Date('2026-01-01') }),
    makeVideo(mine, { title: 'cherry', durationSec: 20, createdAt: new Date('2026-01-03') }),
  ])
  const order = async (sort: ListSort) => (await listForDashboard(mine, { sort })).videos.map(({ id }) => id)
  expect(await order('newest')).toEqual([c, b, a])
  expect(await order('oldest')).toEqual([a, b, c])
  expect(await order('title')).toEqual([a, b, c])
  expect(await order('longest')).toEqual([a, c, b])
})

it.each([
  'vid_x',
  Buffer.from('[1,2]').toString('base64url'),
  Buffer.from('["soon","vid_x"]').toString('base64url'),
  Buffer.from('["2026-02-30","vid_x"]').toString('base64url'),
])('listForDashboard refuses the cursor %s', async (cursor) => {
  await expect(listForDashboard(ctx, { cursor })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
})

describe('listForDashboard of a collection', () => {
  const inCollection = async (name: string, titles: string) => {
    const { id } = await createCollection(ctx, { name })
    await query(
      'test-collection-videos',
      `INSERT INTO collection_video (collection_id, video_id, video_created_at)
       SELECT $1, id, created_at FROM video WHERE account_id = $2 AND title ~ $3`,
      [id, ctx.accountId, titles],
    )
    await pool().query('ANALYZE collection_video')
    return id
  }

  it.each(['newest', 'oldest', 'title', 'longest'] as ListSort[])('lists its videos alone, %s first', async (sort) => {
    const collection = await inCollection(`Few, ${sort}`, '^[cC]lip 77')
    const { ids } = await walk({ collection, sort })
    expect(ids).toHaveLength(111)
    expect(new Set(ids).size).toBe(111)
    const all = (await walk({ sort })).ids.filter((id) => ids.includes(id))
    expect(ids).toEqual(all)
    expect(await mostRead({ collection, sort })).toBeLessThan(1_000)
  })

  it('reads a page of a large one without reading all of it', async () => {
    const collection = await inCollection('Most', '^[cC]lip [1-8]')
    expect((await walk({ collection })).ids.length).toBeGreaterThan(8_000)
    expect(await mostRead({ collection })).toBeLessThan(2_000)
  })

  it('combines with a status, a search and the deleted ones', async () => {
    const collection = await inCollection('Some', '^(Gone 1$|[cC]lip (100|101|200))$')
    expect((await walk({ collection, filter: 'FAILED' })).ids).toHaveLength(2)
    expect((await walk({ collection, search: '101' })).ids).toHaveLength(1)
    expect((await walk({ collection, filter: 'DELETED' })).ids).toEqual(['vid_gone1'])
  })

  it('is empty for an unknown one', async () => {
    expect((await walk({ collection: 'col_none' })).ids).toEqual([])
  })
})
