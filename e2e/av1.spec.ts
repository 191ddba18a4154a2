import { expect } from '@playwright/test'
import pg from 'pg'
import { attachToEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { baseOf, newUser, visit } from './person.ts'
import { giveVideo } from './prepared-video.ts'
import { newStaff } from './second-factor.ts'

// A running server has its data elsewhere, and the test is not its operator.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')

/** Adds 12.4 watched hours, of today. */
const WATCH = `
  INSERT INTO view_day AS held (video_id, account_id, day, plays, watch_ms)
  SELECT id, account_id, (service_now() AT TIME ZONE 'UTC')::date, 20, 44640000 FROM video WHERE id = $1
  ON CONFLICT (video_id, day) DO UPDATE SET watch_ms = EXCLUDED.watch_ms`

/** Adds a rendition in AV1 with half of the bytes of H.264, as the pipeline does once it is encoded. */
const ADD = `
  INSERT INTO rendition (media_id, codec, quality, width, height, bandwidth, average_bandwidth, codecs, frame_rate, bytes, segments)
  SELECT media_id, 'av1', quality, width, height, bandwidth / 2, average_bandwidth / 2, 'av01.0.00M.08', frame_rate, bytes / 2, '[]'
  FROM rendition WHERE media_id = $1`

/** Adds what was delivered yesterday and today, besides what the page itself played: a third of the video in AV1. */
const DELIVER = `
  WITH video AS (SELECT id, account_id FROM video WHERE id = $1),
  streams (codec, stream, bytes, saved) AS (VALUES ('h264', '240p', 400000000, 0), ('av1', '240p', 200000000, 200000000), ('audio', 'audio-0', 40000000, 0)),
  days AS (
    INSERT INTO delivered_day (video_id, day, codec, stream, bytes, saved)
    SELECT id, (service_now() AT TIME ZONE 'UTC')::date - at, codec, stream, bytes, saved FROM video, streams, generate_series(0, 1) AS at
    ON CONFLICT (video_id, day, codec, stream) DO UPDATE SET bytes = delivered_day.bytes + EXCLUDED.bytes)
  INSERT INTO account_delivered_day (account_id, day, codec, stream, bytes, saved)
  SELECT account_id, (service_now() AT TIME ZONE 'UTC')::date - at, codec, stream, bytes, saved FROM video, streams, generate_series(0, 1) AS at
  ON CONFLICT (account_id, day, codec, stream) DO UPDATE SET bytes = account_delivered_day.bytes + EXCLUDED.bytes`

test('the page of a video says after how many watched hours it gets AV1, and what AV1 saves', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage()
  const { dashboard } = await newUser(page)
  const videoId = await giveVideo(
    dashboard,
    'Harbour',
    { kind: 'clip', seconds: 6, targetQuality: '240p' },
    {
      base: baseOf(),
      columns: { h264_preset: 'veryfast' },
    },
  )
  const { url, stop } = await attachToEmbeddedPostgres(process.env.REELGATE_E2E_DATA as string)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(WATCH, [videoId])
  await visit(page, `/videos/${videoId}/delivery`)
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Renditions', exact: true }) })
  await expect(panel).toContainText(
    'x264 preset medium after 100 hours of watch time · AV1 after 20 hours of watch time · watched 12.4 hours so far.',
  )
  await soundInBothThemes(page)

  await client.query(ADD, [videoId])
  await page.reload()
  await expect(panel).toContainText('AV1 where a device decodes it, H.264 elsewhere')

  await client.query(DELIVER, [videoId])
  await page.reload()
  const delivered = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Delivered', exact: true }) })
  await expect(delivered).toContainText('H.264800 MBAV1400 MBAudio80.0 MBSaved by AV1400 MB (24%)')
  await expect(page.getByRole('table', { name: 'Renditions' }).getByRole('row', { name: /AV1/ })).toContainText('400 MB')
  await soundInBothThemes(page)
  await visit(page, '/usage')
  await expect(delivered).toContainText('Saved by AV1400 MB (24%)')
  await expect(delivered.getByRole('slider', { name: 'Bytes by codec' })).toBeVisible()
  const rowOf = (codec: string) => delivered.getByRole('row', { name: new RegExp(`^240p ${codec} `) })
  await expect(rowOf('AV1')).toContainText('Delivered400 MBSaved by AV1400 MB')
  await expect(rowOf('H.264')).toContainText('Delivered800 MBSaved by AV1–')
  await expect(delivered.getByRole('row', { name: /^Audio / })).toContainText('80.0 MB')
  await soundInBothThemes(page)
  await visit(page, `/billing/statements/${new Date().toISOString().slice(0, 7)}`)
  await expect(page.getByRole('heading', { name: 'Delivered' })).toBeVisible()
  await expect(page.getByRole('row', { name: /^240p, AV1 / })).toBeVisible()
  await expect(page.getByRole('article')).toContainText(/AV1 saved \d+ MB, 24% compared with H\.264/)
  await soundInBothThemes(page)

  const operator = await (await browser.newContext()).newPage()
  await newStaff(operator, 'operator')
  await visit(operator, '/operator')
  const totals = operator.locator('section').filter({ has: operator.getByRole('heading', { name: 'AV1', exact: true }) })
  await expect(totals).toContainText(/Videos in AV1[1-9]/)
  await expect(totals).toContainText('EncodeAfter 20 hours of watch time')
  await expect(totals).toContainText(/Delivered in the last 30 days.*Saved by AV1\d+ MB/)
  const everything = operator.getByRole('table', { name: 'Bytes by rendition' })
  await expect(everything.getByRole('row', { name: /^240p AV1 / })).toContainText(/Saved by AV1\d+ MB/)
  await soundInBothThemes(operator)
  await client.end()
  await stop()
})
