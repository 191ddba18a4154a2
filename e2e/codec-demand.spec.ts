import { expect } from '@playwright/test'
import pg from 'pg'
import { attachToEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { baseOf, newUser, visit } from './person.ts'
import { giveVideo } from './prepared-video.ts'
import { newStaff } from './second-factor.ts'

// A running server has its data elsewhere, where the test is no operator.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')

/** Adds renditions in AV1 that were complete 40 days ago, with half of the bytes, the decision and 20 plays a day since. */
const ADD = `
  WITH added AS (
    INSERT INTO video (id, account_id, title, status, duration_sec, target_quality, source_key, source_bytes, source_name, replaces, adds_codec,
      kept_until, completed_at)
    SELECT id || 'av1', account_id, title, 'COMPLETED', duration_sec, target_quality, source_key, 0, source_name, id, 'av1',
      '9999-12-31T00:00:00Z', service_now() - interval '40 days'
    FROM video WHERE id = $1 RETURNING replaces),
  days AS (
    INSERT INTO view_day (video_id, account_id, day, plays, watch_ms)
    SELECT id, account_id, (service_now() AT TIME ZONE 'UTC')::date - at, 20, 40000000 FROM video, generate_series(0, 40) AS at WHERE id = $1)
  INSERT INTO codec_decision (video_id, codec, decided_at, watch_sec, saving, storage, encoding, begun_at, completed_at, judged_at, bytes,
    h264_bytes, settled_at, real_watch_sec, real_saving, real_storage)
  SELECT replaces, 'av1', service_now() - interval '41 days', 1000000, 1.5, 0.002, 0.04, service_now() - interval '41 days',
    service_now() - interval '40 days', service_now(), 200000000, 400000000, service_now(), 1200000, 1.8, 0.002 FROM added`

/** Adds a rendition in AV1 with half of the bytes of H.264, and what was delivered yesterday and today, next to what the page itself played: a third of the picture in AV1. */
const DELIVER = `
  WITH video AS (SELECT id, account_id FROM video WHERE id = $1),
  made AS (
    INSERT INTO rendition (video_id, quality, width, height, bandwidth, average_bandwidth, codecs, frame_rate, bytes, segments)
    SELECT video_id || 'av1', quality, width, height, bandwidth / 2, average_bandwidth / 2, 'av01.0.00M.08', frame_rate, bytes / 2, '[]'
    FROM rendition WHERE video_id = $1),
  streams (codec, stream, bytes, saved) AS (VALUES ('h264', '240p', 400000000, 0), ('av1', '240p', 200000000, 200000000), ('audio', 'audio-0', 40000000, 0)),
  days AS (
    INSERT INTO delivered_day (video_id, day, codec, stream, bytes, saved)
    SELECT id, (service_now() AT TIME ZONE 'UTC')::date - at, codec, stream, bytes, saved FROM video, streams, generate_series(0, 1) AS at
    ON CONFLICT (video_id, day, codec, stream) DO UPDATE SET bytes = delivered_day.bytes + EXCLUDED.bytes)
  INSERT INTO account_delivered_day (account_id, day, codec, stream, bytes, saved)
  SELECT account_id, (service_now() AT TIME ZONE 'UTC')::date - at, codec, stream, bytes, saved FROM video, streams, generate_series(0, 1) AS at
  ON CONFLICT (account_id, day, codec, stream) DO UPDATE SET bytes = account_delivered_day.bytes + EXCLUDED.bytes`

test('the page of a video and the console of the operator show what AV1 saves, in money', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage()
  const { dashboard } = await newUser(page)
  const videoId = await giveVideo(dashboard, 'Harbour', { kind: 'clip', seconds: 6, targetQuality: '240p' }, { base: baseOf() })
  await visit(page, `/videos/${videoId}`)
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'AV1', exact: true }) })
  await expect(panel).toContainText('Not encoded in AV1: by the plays so far, it would cost more than it saves.')
  await expect(panel).toContainText('Would save$0.00Encodingunder $0.01Storageunder $0.01Net, 30 daysover −$0.01')
  await expect(panel.getByTitle(/^\$0\.0000\d+$/)).toHaveCount(2)
  await soundInBothThemes(page)

  const { url, stop } = await attachToEmbeddedPostgres(process.env.REELGATE_E2E_DATA as string)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(ADD, [videoId])
  await visit(page, `/videos/${videoId}`)
  await expect(panel).toContainText('Plays in AV1 where a device can decode it')
  await expect(panel).toContainText('Size200 MB')
  await expect(panel).toContainText('Less than H.26450%')
  await expect(panel).toContainText('AV1 saved $1.76 after all costs; $1.46 were expected.')
  await soundInBothThemes(page)

  await client.query(DELIVER, [videoId])
  await visit(page, `/videos/${videoId}`)
  const delivered = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Delivered', exact: true }) })
  await expect(delivered).toContainText('H.264800 MBAV1400 MBSound80.0 MBSaved by AV1400 MB (24%)')
  await expect(page.getByRole('table', { name: 'Renditions' }).getByRole('row', { name: /AV1/ })).toContainText('400 MB')
  await soundInBothThemes(page)
  await visit(page, '/usage')
  await expect(delivered).toContainText('Saved by AV1400 MB (24%)')
  await expect(delivered.getByRole('slider', { name: 'Bytes by codec' })).toBeVisible()
  const rowOf = (codec: string) => delivered.getByRole('row', { name: new RegExp(`^240p ${codec} `) })
  await expect(rowOf('AV1')).toContainText('Delivered400 MBSaved by AV1400 MB')
  await expect(rowOf('H.264')).toContainText('Delivered800 MBSaved by AV1–')
  await expect(delivered.getByRole('row', { name: /^Sound / })).toContainText('80.0 MB')
  await soundInBothThemes(page)
  await visit(page, `/billing/statements/${new Date().toISOString().slice(0, 7)}`)
  await expect(page.getByRole('heading', { name: 'Delivered' })).toBeVisible()
  await expect(page.getByRole('row', { name: /^240p, AV1 / })).toBeVisible()
  await expect(page.getByRole('article')).toContainText(/Saved by AV1: \d+ MB, 24% of what H\.264 alone would have taken/)
  await soundInBothThemes(page)

  const operator = await (await browser.newContext()).newPage()
  await newStaff(operator, 'operator')
  await visit(operator, '/operator')
  const totals = operator.locator('section').filter({ has: operator.getByRole('heading', { name: 'AV1', exact: true }) })
  await expect(totals).toContainText('Videos in AV11')
  await expect(totals).toContainText('ModeBy demand')
  await expect(totals).toContainText('Saved$1.76')
  await expect(totals).toContainText(/Delivered in 30 days.*Saved by AV1\d+ MB/)
  const everything = operator.getByRole('table', { name: 'Bytes by rendition' })
  await expect(everything.getByRole('row', { name: /^240p AV1 / })).toContainText(/Saved by AV1\d+ MB/)
  await soundInBothThemes(operator)
  await client.query('DELETE FROM codec_decision WHERE video_id = $1', [videoId])
  await client.end()
  await stop()
})
