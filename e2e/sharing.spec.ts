import { expect, type Page } from '@playwright/test'
import pg from 'pg'
import { attachToEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'
import { faults, soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { baseOf, newUser, pathOf, shownOnce, visit } from './person.ts'
import { giveVideo, type Recipe } from './prepared-video.ts'

const CLIP: Recipe = { kind: 'clip', seconds: 6, targetQuality: '240p' }
/** Longer than the test: a player learns that it must stop when it pauses, which it cannot do at the end of the video. */
const LONG: Recipe = { kind: 'long', seconds: 150 }

/** Opens the page of a new video of a new user. */
async function openVideo(page: Page, { captions = false, recipe = CLIP } = {}): Promise<string> {
  const { dashboard } = await newUser(page)
  const videoId = await giveVideo(dashboard, 'Harbour', recipe, { base: baseOf() })
  const text = 'WEBVTT\n\n00:00.000 --> 00:06.000\nA ship\n'
  if (captions) await dashboard.mutate('video.putCaptions', { videoId, language: 'en', label: '', text, expected: null })
  await visit(page, `/videos/${videoId}`)
  return videoId
}

/** Creates a link in the dialog and returns its path. */
async function createLink(page: Page, name: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Share “Harbour”' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('button', { name: 'Create link' }).click()
  return pathOf(await shownOnce(page))
}

/** Ends the life of all links of a video. */
async function expireLinks(videoId: string): Promise<void> {
  const { url, stop } = await attachToEmbeddedPostgres(process.env.REELGATE_E2E_DATA as string)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`UPDATE share_link SET expires_at = now() - interval '1 second' WHERE video_id = $1`, [videoId])
  await client.end()
  await stop()
}

const timeOf = (page: Page, frame: string) => () =>
  page
    .frameLocator(frame)
    .locator('video')
    .evaluate(({ currentTime }: HTMLVideoElement) => currentTime)

test('a share link plays without an account, is counted, revoked at once, and expires', async ({ page, browser }) => {
  const videoId = await openVideo(page, { recipe: LONG })
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share “Harbour”' })
  const first = await createLink(page, 'Press')
  await soundInBothThemes(page)
  const guest = await (await browser.newContext({ baseURL: baseOf() })).newPage()
  const response = await guest.goto(first)
  // The URL is the credential: no site may frame the page, index it, or learn its URL.
  expect(response?.headers()['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/)
  expect(response?.headers()).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex, nofollow' })
  expect(await response?.text()).not.toContain('Harbour')
  await expect(guest.getByRole('heading', { name: 'Harbour' })).toBeVisible()
  expect(await faults(guest)).toEqual([])
  await guest.getByRole('button', { name: 'Play “Harbour”' }).click()
  await expect.poll(timeOf(guest, 'iframe')).toBeGreaterThan(0.5)

  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Share' }).click()
  const item = dialog.getByRole('listitem').filter({ hasText: 'Press' })
  await expect(item).toContainText('1 view')
  await dialog.getByRole('button', { name: 'Revoke Press' }).click()
  await expect(item).toContainText('Revoked')
  // Someone who is watching learns why, and that reloading will not help.
  await guest
    .frameLocator('iframe')
    .locator('video')
    .evaluate((video: HTMLVideoElement) => video.pause())
  await expect(guest.getByRole('heading', { name: 'This link was revoked' })).toBeVisible()
  await guest.reload()
  await expect(guest.getByRole('heading', { name: 'This link was revoked' })).toBeVisible()
  await expect(guest.getByText('Harbour')).toHaveCount(0)
  expect(await faults(guest)).toEqual([])

  const late = await createLink(page, 'Review')
  await expireLinks(videoId)
  expect((await guest.goto(late))?.status()).toBe(200)
  await expect(guest.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
  await expect(guest.getByRole('button', { name: /^Play/ })).toBeHidden()
})

test('the embed builder plays the video with the chosen options, and writes them into the code', async ({ page }) => {
  await openVideo(page, { captions: true })
  await page.getByRole('button', { name: 'Customize embed' }).click()
  const dialog = page.getByRole('dialog', { name: 'Embed “Harbour”' })
  for (const name of ['Autoplay', 'Muted', 'Loop', 'Transcript']) await dialog.getByRole('switch', { name }).click()
  await dialog.getByRole('textbox', { name: 'Start time' }).fill('0:02')
  await dialog.getByRole('combobox', { name: 'Captions' }).click()
  await page.getByRole('option', { name: 'English' }).click()
  await dialog.getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: 'German' }).click()
  const frame = 'iframe[title="Preview of the embedded player"]'
  await expect(dialog.locator(frame)).toHaveAttribute('src', /[?&]autoplay=1&muted=1&loop=1&transcript=1&t=0%3A02&captions=en&lang=de/)
  await expect.poll(timeOf(page, frame)).toBeGreaterThan(2)
  const player = page.frameLocator(frame)
  const shown = () =>
    player.locator('video').evaluate(({ textTracks, muted, loop }: HTMLVideoElement) => ({
      captions: [...textTracks].filter(({ kind, mode }) => kind === 'subtitles' && mode === 'showing').map(({ language }) => language),
      muted,
      loop,
    }))
  await expect.poll(shown).toEqual({ captions: ['en'], muted: true, loop: true })
  await expect(player.locator('html')).toHaveAttribute('lang', 'de')
  await expect(dialog.locator('pre')).toContainText(
    '&amp;autoplay=1&amp;muted=1&amp;loop=1&amp;transcript=1&amp;t=0:02&amp;captions=en&amp;lang=de',
  )
  await soundInBothThemes(page)
})

test('a frame of the video becomes its poster', async ({ page }) => {
  await openVideo(page)
  await page.getByRole('button', { name: 'Choose frame…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose a frame' })
  const seconds = dialog.getByRole('textbox', { name: 'Seconds' })
  await seconds.fill('2.5')
  await seconds.press('Enter')
  await expect(dialog.getByRole('img', { name: /^Frame at/ })).toBeVisible()
  await soundInBothThemes(page)
  await dialog.getByRole('button', { name: 'Use as poster' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('radiogroup', { name: 'Poster' }).getByRole('radio', { name: 'Uploaded image' })).toBeChecked()
})
