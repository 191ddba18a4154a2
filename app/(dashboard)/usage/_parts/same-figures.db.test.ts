import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '#server/context'
import { keyUsage } from '#server/modules/analytics/key-usage'
import { trafficCollector } from '#server/modules/analytics/requests/collector'
import { countRequests } from '#server/modules/analytics/requests/counters'
import { usage } from '#server/modules/analytics/usage'
import { viewingReport } from '#server/modules/analytics/viewing/viewing-report'
import { listAccountActivity } from '#server/modules/backoffice/support/account-activity'
import { supportKeys, supportUsage } from '#server/modules/backoffice/support/account-pages'
import { accountActivityInput } from '#server/modules/backoffice/support/schema'
import { requireStaff, type StaffCtx } from '#server/modules/backoffice/support/staff'
import { listKeys } from '#server/modules/dashboard/list-keys'
import { overview } from '#server/modules/dashboard/overview'
import { db } from '#server/platform/database/database'
import { send } from '#server/testing/client'
import { testDatabase } from '#server/testing/database'
import { startHttpServer } from '#server/testing/http-server'
import { makeAccount, makeKey, makeVideo } from '#server/testing/make'
import { makeStaff } from '#server/testing/staff'
import { usageRows } from './usage-csv'

await testDatabase()
const base = await startHttpServer()
let owner: AccountCtx
let staff: StaffCtx
let videoId: string

/** What was done: requests of two keys, tokens, exchanges without a key, refusals and plays. */
const DONE = { lists: 9, missing: 4, granted: 3, refused: 2, exchanges: 6, plays: 8 }
const REQUESTS = DONE.lists + DONE.missing + DONE.granted + DONE.refused + DONE.exchanges
const FIGURES = { requests: REQUESTS, failed: DONE.missing + DONE.refused, issued: DONE.granted, refused: DONE.refused, plays: DONE.plays }

beforeAll(async () => {
  owner = await makeAccount()
  const person = await makeAccount()
  await makeStaff(person)
  staff = await requireStaff(person, 'req_test')
  videoId = await makeVideo(owner)
  const [one, two] = [await makeKey(owner), await makeKey(owner)]
  await db().apiKey.update({ where: { id: two.id }, data: { dailyQuota: DONE.granted } })
  const call = async (times: number, path: string, key?: string, method = 'GET') => {
    let body = ''
    for (let at = 0; at < times; at++) body = (await send(base + path, { method, headers: key ? { 'x-service-key': key } : {} })).body
    return body
  }
  await call(DONE.lists, '/v1/video', one.value)
  await call(DONE.missing, '/v1/video/vid_absent', one.value)
  const issued = await call(DONE.granted, `/v1/video/${videoId}/playback-token`, two.value, 'POST')
  await call(DONE.refused, `/v1/video/${videoId}/playback-token`, two.value, 'POST')
  await call(DONE.exchanges, `/v1/video/playback/manifest/${JSON.parse(issued).data.token}`)
  const view = { accountId: owner.accountId, day: new Date(), plays: DONE.plays }
  await db().viewDay.create({ data: { ...view, videoId, startup: [], retention: [] } })
  await db().accountViewerDay.create({ data: { ...view, dimension: 'device', value: 'Phone' } })
  await trafficCollector().flush()
})

const sum = <Item>(items: readonly Item[], of: (item: Item) => number) => items.reduce((total, item) => total + of(item), 0)

test.each(['today', '3d', '7d', '30d', 'month'] as const)('every page shows the same figures for %s', async (range) => {
  const shown = await usage(owner, { range, split: 'key' })
  expect(shown.totals).toEqual(FIGURES)
  const support = await supportUsage(staff, { accountId: owner.accountId, range, split: 'key' })
  expect(support).toEqual(shown)
  for (const split of ['key', 'endpoint', 'status'] as const)
    expect(sum((await usage(owner, { range, split })).series, ({ requests }) => requests)).toBe(FIGURES.requests)

  // The file, whose columns are named as in the table.
  const [head, ...rows] = usageRows(shown)
  const total = (name: string) => sum(rows, (row) => Number(row[(head as string[]).indexOf(name)]))
  expect([total('requests'), total('failed_requests'), total('tokens_issued'), total('tokens_refused')]).toEqual([
    FIGURES.requests,
    FIGURES.failed,
    FIGURES.issued,
    FIGURES.refused,
  ])
  if (shown.unit === 'day') expect(total('plays')).toBe(FIGURES.plays)

  // The pages of the keys, and the requests without one.
  const keys = await Promise.all((await listKeys(owner)).map(async ({ id }) => ({ id, ...(await keyUsage(owner, { keyId: id, range })) })))
  for (const { id, totals } of keys) expect(shown.series.find(({ name }) => name === id)?.requests).toBe(totals.requests)
  const keyless = shown.series.find(({ name }) => name === '')?.requests
  expect(keyless).toBe(DONE.exchanges)
  expect(sum(keys, ({ totals }) => totals.requests) + DONE.exchanges).toBe(FIGURES.requests)
  expect(sum(keys, ({ totals }) => totals.issued)).toBe(FIGURES.issued)
})

test('the overview, the lists of keys, the video, the log and the list of accounts show the same figures', async () => {
  const { days } = await overview(owner)
  const today = days.at(-1)
  expect(today).toMatchObject(FIGURES)
  expect(sum(days.slice(-30), ({ requests }) => requests)).toBe((await usage(owner, { range: '30d' })).totals.requests)
  for (const keys of [await listKeys(owner), await supportKeys(staff, { accountId: owner.accountId })]) {
    expect(sum(keys, (key) => key.today.requests)).toBe(FIGURES.requests - DONE.exchanges)
    expect(sum(keys, (key) => key.today.issued)).toBe(FIGURES.issued)
    expect(sum(keys, (key) => key.today.refused)).toBe(FIGURES.refused)
  }
  expect((await viewingReport(owner, { videoId, range: '7d' })).totals.plays).toBe(FIGURES.plays)
  expect(sum((await countRequests(owner, {})).statuses, ({ requests }) => requests)).toBe(FIGURES.requests)
  const { accounts } = await listAccountActivity(staff, accountActivityInput.parse({ days: 30 }))
  expect(accounts.find(({ accountId }) => accountId === owner.accountId)).toMatchObject({
    requests: FIGURES.requests,
    issued: FIGURES.issued,
    refused: FIGURES.refused,
  })
})
