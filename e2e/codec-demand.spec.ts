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

test('the page of a video and the console of the operator show what AV1 saves, in money', async ({ browser }) => {
  const page = await (await browser.newContext()).newPage()
  const { dashboard } = await newUser(page)
  const videoId = await giveVideo(dashboard, 'Harbour', { kind: 'clip', seconds: 6, targetQuality: '240p' }, { base: baseOf() })
  await visit(page, `/videos/${videoId}`)
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'AV1', exact: true }) })
  await expect(panel).toContainText('Not encoded in AV1: by the plays so far, it would cost more than it saves.')
  await expect(panel).toContainText('Would save$0.00Encodingless than $0.01Storageless than $0.01Net, 30 daysmore than −$0.01')
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

  const operator = await (await browser.newContext()).newPage()
  await newStaff(operator, 'operator')
  await visit(operator, '/operator')
  const totals = operator.locator('section').filter({ has: operator.getByRole('heading', { name: 'AV1', exact: true }) })
  await expect(totals).toContainText('Videos in AV11')
  await expect(totals).toContainText('ModeBy demand')
  await expect(totals).toContainText('Saved$1.76')
  await soundInBothThemes(operator)
  await client.query('DELETE FROM codec_decision WHERE video_id = $1', [videoId])
  await client.end()
  await stop()
})
