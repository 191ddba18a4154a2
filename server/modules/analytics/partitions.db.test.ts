import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db, query, transaction } from '../../platform/database/database.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { stopClock } from '../../testing/clock.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { accountDays } from './account-days.ts'
import { pruneTraffic } from './prune.ts'

await testDatabase()
const setClock = await stopClock('2026-03-10T12:00:00Z')
let ctx: AccountCtx
beforeAll(async () => {
  ctx = await makeAccount()
  await pruneTraffic()
})

/** Writes a row of each table as of a moment; returns the partitions that took them. */
async function writeAt(moment: string): Promise<Record<string, string>> {
  const at = new Date(moment)
  const { accountId } = ctx
  const id = newId('req')
  const videoId = await makeVideo(ctx)
  const call = { method: 'GET', path: '/v1/video', query: '', status: 200, durationMs: 1, responseHeaders: {} }
  await db().loggedRequest.create({ data: { ...call, id, accountId, at } })
  const count = { accountId, keyId: id, operation: 'listVideos', status: 200, requests: 1, latency: [1] }
  await db().trafficHour.create({ data: { ...count, hour: at } })
  await db().trafficDay.create({ data: { ...count, day: at } })
  await db().viewDay.create({ data: { videoId, accountId, day: at, plays: 2, startup: [], retention: [] } })
  await db().viewerDay.create({ data: { videoId, accountId, day: at, dimension: 'country', value: 'DE' } })
  await query(
    'test-viewers',
    `INSERT INTO account_viewer_day (account_id, day, dimension, value, plays) VALUES ($1, $2, 'device', $3, 2)`,
    [accountId, at, videoId],
  )
  const pair = { dimension: 'country', value: videoId, withDimension: 'device', withValue: 'Phone' }
  await db().accountViewerPairDay.create({ data: { accountId, day: at, ...pair } })
  await db().deliveredDay.create({ data: { videoId, day: at, codec: 'h264', stream: '720p', bytes: 1n } })
  await query(
    'test-delivered',
    `INSERT INTO account_delivered_day (account_id, day, codec, stream, bytes) VALUES ($1, $2, 'av1', '720p', 1) ON CONFLICT DO NOTHING`,
    [accountId, at],
  )
  const rows = await query<{ name: string; place: string }>('test-places', PLACES, [id, videoId])
  return Object.fromEntries(rows.map(({ name, place }) => [name, place]))
}

const PLACES = `
  SELECT 'log' AS name, tableoid::regclass::text AS place FROM request_log WHERE id = $1
  UNION ALL SELECT 'hour', tableoid::regclass::text FROM traffic_hour WHERE key_id = $1
  UNION ALL SELECT 'day', tableoid::regclass::text FROM traffic_day WHERE key_id = $1
  UNION ALL SELECT 'view', tableoid::regclass::text FROM view_day WHERE video_id = $2
  UNION ALL SELECT 'viewers', tableoid::regclass::text FROM viewer_day WHERE video_id = $2
  UNION ALL SELECT 'account', tableoid::regclass::text FROM account_viewer_day WHERE value = $2
  UNION ALL SELECT 'pairs', tableoid::regclass::text FROM account_viewer_pair_day WHERE value = $2
  UNION ALL SELECT 'delivered', tableoid::regclass::text FROM delivered_day WHERE video_id = $2`

const partitions = async (table: string) =>
  (
    await query<{ name: string }>(
      'test-partitions',
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1`,
      [table],
    )
  ).map(({ name }) => name.slice(table.length + 1))

const IN_DEFAULT = {
  log: 'request_log_default',
  hour: 'traffic_hour_default',
  day: 'traffic_day_default',
  view: 'view_day_default',
  viewers: 'viewer_day_default',
  account: 'account_viewer_day_default',
  pairs: 'account_viewer_pair_day_default',
  delivered: 'delivered_day_default',
}

describe('pruneTraffic', () => {
  it('makes partitions for today, the next 7 days of the log and the next 2 months of the other tables', async () => {
    expect(await writeAt('2026-03-10T23:59:59Z')).toEqual({
      log: 'request_log_20260310',
      hour: 'traffic_hour_202603',
      day: 'traffic_day_202603',
      view: 'view_day_202603',
      viewers: 'viewer_day_202603',
      account: 'account_viewer_day_202603',
      pairs: 'account_viewer_pair_day_202603',
      delivered: 'delivered_day_202603',
    })
    expect(await writeAt('2026-03-17T00:00:00Z')).toMatchObject({ log: 'request_log_20260317' })
    expect(await writeAt('2026-05-31T23:00:00Z')).toEqual({
      log: 'request_log_default',
      hour: 'traffic_hour_202605',
      day: 'traffic_day_202605',
      view: 'view_day_202605',
      viewers: 'viewer_day_202605',
      account: 'account_viewer_day_202605',
      pairs: 'account_viewer_pair_day_202605',
      delivered: 'delivered_day_202605',
    })
  })

  it('moves rows that were written before their partition was made', async () => {
    expect(await writeAt('2026-07-04T10:00:00Z')).toEqual(IN_DEFAULT)
    await setClock('2026-07-04T10:00:01Z')
    await pruneTraffic()
    for (const [table, name] of [
      ['request_log', '20260704'],
      ['traffic_hour', '202607'],
      ['traffic_day', '202607'],
      ['view_day', '202607'],
    ] as const) {
      const moved = await query('', `SELECT 1 FROM ${table}_${name}`, [])
      expect([table, moved.length]).toEqual([table, 1])
    }
    expect((await accountDays(ctx)).at(-1)?.plays).toBe(2)
  })

  it('drops partitions once all of their rows are past the retention period', async () => {
    await setClock('2026-08-05T12:00:00Z')
    await pruneTraffic()
    await writeAt('2026-08-05T12:00:00Z')
    await setClock('2026-08-12T23:59:59Z')
    await pruneTraffic()
    expect(await partitions('request_log')).toContain('20260805')
    await setClock('2026-08-13T00:00:00Z')
    await pruneTraffic()
    expect(await partitions('request_log')).not.toContain('20260805')
    await setClock('2026-09-04T23:59:59Z')
    await pruneTraffic()
    expect(await partitions('traffic_hour')).toContain('202607')
    await setClock('2026-09-05T00:00:00Z')
    await pruneTraffic()
    expect((await partitions('traffic_hour')).slice(0, 3)).toEqual(['202608', '202609', '202610'])
  })

  it('keeps counts by day permanently, or for TRAFFIC_RETENTION_MONTHS', async () => {
    await setClock('2027-08-01T00:00:00Z')
    await pruneTraffic()
    expect(await partitions('traffic_day')).toContain('202603')
    provide({ TRAFFIC_RETENTION_MONTHS: '13' })
    await pruneTraffic()
    const viewed = ['view_day', 'viewer_day', 'account_viewer_day', 'account_viewer_pair_day']
    for (const table of ['traffic_day', ...viewed, 'delivered_day', 'account_delivered_day']) {
      const names = await partitions(table)
      expect(names).toContain('202607')
      expect(names.filter((name) => name < '202607')).toEqual([])
    }
  })

  it('leaves a partition for later while another transaction uses the table, and rows are accepted', { tags: ['deep'] }, async () => {
    await setClock('2028-02-10T00:00:00Z')
    await transaction(async (connection) => {
      await connection.query(`LOCK TABLE traffic_day_default IN SHARE MODE`)
      await pruneTraffic()
      expect(await partitions('traffic_hour')).toContain('202802')
      expect(await partitions('traffic_day')).not.toContain('202802')
    })
    expect(await writeAt('2028-02-10T00:00:00Z')).toMatchObject({ day: 'traffic_day_default', view: 'view_day_202802' })
    await pruneTraffic()
    expect(await partitions('traffic_day')).toContain('202802')
  })
})
