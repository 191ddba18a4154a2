import { type Browser, expect, type Page } from '@playwright/test'
import { faults } from './accessibility.ts'
import { test } from './closing-test.ts'
import { controlPlayback, now } from './long-session.ts'
import { visit } from './person.ts'
import { publishVideo } from './published-video.ts'

/** Longer than the test: a player reports an end of playback when it pauses. */
const VIDEO_SEC = 150

/** Plays a video in a browser of its own, as another viewer. */
async function watch(browser: Browser, playerUrl: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await page.goto(`${playerUrl}&muted`)
  await controlPlayback(page, 'play')
  await expect.poll(() => now(page)).toBeGreaterThan(0.5)
  return page
}
const stopped = (page: Page) => page.getByRole('alert').getByRole('heading', { name: 'Playback was stopped' })

test('viewers are shown while they watch, and the owner ends one session and then all', async ({ page, browser, baseURL }) => {
  const { dashboard, videoId, token } = await publishVideo(baseURL ?? '', { kind: 'long', seconds: VIDEO_SEC })
  await page.context().addCookies(dashboard.cookieJar())
  await visit(page, `/videos/${videoId}/activity`)
  await expect(page.getByText('0 watching now')).toBeVisible()
  await expect(page.getByText('No playback sessions in the last 15 minutes.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'End all sessions…' })).toHaveCount(0)

  const tokens = [await token(), await token()] as const
  const [one, other] = [await watch(browser, tokens[0].playerUrl), await watch(browser, tokens[1].playerUrl)]
  const idOf = (value: string) => JSON.parse(String(Buffer.from(value.split('.')[1] as string, 'base64url'))).jti as string
  const sessions = page.getByRole('table', { name: 'Playback sessions' })
  const rowOf = (value: string) => sessions.getByRole('row').filter({ has: page.locator(`[data-value="${idOf(value)}"]`) })
  // Without a reload.
  await expect(page.getByText('2 watching now')).toBeVisible()
  for (const { token: value } of tokens) await expect(rowOf(value)).toContainText(/Embed player, \d+p/)
  expect(await faults(page)).toEqual([])

  await rowOf(tokens[0].token)
    .getByRole('button', { name: /^End session/ })
    .click()
  const dialog = page.getByRole('dialog', { name: 'End this session?' })
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await dialog.getByRole('button', { name: 'End session' }).click()
  await expect(dialog).toBeHidden()
  await expect(rowOf(tokens[0].token)).toHaveCount(0)
  await expect(page.getByText('1 watching now')).toBeVisible()
  // A report is sent with it, as every half minute during playback.
  await controlPlayback(one, 'pause')
  await expect(stopped(one)).toBeVisible()
  expect(await faults(one)).toEqual([])
  await controlPlayback(other, 'pause')
  await controlPlayback(other, 'play')
  const reached = await now(other)
  await expect.poll(() => now(other)).toBeGreaterThan(reached + 1)
  await expect(stopped(other)).toHaveCount(0)

  await visit(page, '/')
  await expect(page.getByRole('link', { name: /^Viewers now\s*1\b/ })).toBeVisible()
  await visit(page, `/videos/${videoId}/activity`)
  await page.getByRole('button', { name: 'End all sessions…' }).click()
  await page.getByRole('dialog', { name: 'End playback of “Harbour”?' }).getByRole('button', { name: 'End playback' }).click()
  await expect(page.getByText('0 watching now')).toBeVisible()
  await expect(sessions).toHaveCount(0)
  await controlPlayback(other, 'pause')
  await expect(stopped(other)).toBeVisible()
})
