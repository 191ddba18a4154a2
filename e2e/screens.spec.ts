import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, expect, type Page, test } from '@playwright/test'
import { clip, generateKey, signUp, upload } from './person.ts'

const folder = join(import.meta.dirname, 'screens')
/** The ones the README shows. */
const shown = join(import.meta.dirname, '../docs/screens')

const THEMES = ['light', 'dark'] as const
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

test('pictures of every page', async ({ browser, baseURL, request }) => {
  test.setTimeout(300_000)
  rmSync(folder, { recursive: true, force: true })
  for (const path of [folder, shown]) mkdirSync(path, { recursive: true })

  const context = await browser.newContext({ baseURL })
  const page = await context.newPage()
  await everywhere(browser, { 'sign-in': '/sign-in', 'sign-up': '/sign-up', docs: '/docs', errors: '/docs/errors' })
  await signUp(page, 'studio@example.com')
  await everywhere(browser, { 'overview-new': '/', 'videos-none': '/videos', 'keys-none': '/api-keys' }, page)

  for (const title of ['Opening keynote', 'Interview with the director', 'Trailer']) {
    await upload(page, await clip(12), title)
    await expect(page.getByRole('row', { name: title }).getByText('Completed')).toBeVisible({ timeout: 90_000 })
  }
  const key = await generateKey(page, 'Production backend')
  await generateKey(page, 'Staging')
  const headers = { 'x-service-key': key }
  const { data: videos } = await (await request.get('/v1/video', { headers })).json()
  for (let index = 0; index < 7; index++) await request.post(`/v1/video/${videos[0].id}/playback-token`, { headers })
  const { playerUrl } = (await (await request.post(`/v1/video/${videos[0].id}/playback-token`, { headers })).json()).data

  const pages = {
    overview: '/',
    videos: '/videos',
    video: `/videos/${videos[0].id}`,
    keys: '/api-keys',
    settings: '/settings',
    missing: '/nowhere',
  }
  await everywhere(browser, pages, page)
  await player(page, playerUrl)
  await page.goto('/embed/vid_nobodysvideo?token=pt_nonsense')
  await expect(page.getByRole('heading').first()).toBeVisible()
  await page.screenshot({ path: join(folder, 'player-refused.png') })
})

/** Each address in both themes and at both widths, with the cookies of `as`. */
async function everywhere(browser: Browser, addresses: Record<string, string>, as?: Page): Promise<void> {
  const storageState = await as?.context().storageState()
  for (const colorScheme of THEMES) {
    for (const viewport of SIZES) {
      const context = await browser.newContext({ colorScheme, viewport, storageState, baseURL: test.info().project.use.baseURL })
      const page = await context.newPage()
      for (const [name, address] of Object.entries(addresses)) {
        await page.goto(address, { waitUntil: 'load' })
        await page.evaluate(() => document.fonts.ready)
        const path = join(folder, `${name}-${colorScheme}-${viewport.width}.png`)
        await page.screenshot({ path, animations: 'disabled' })
        if (name === 'overview' && colorScheme === 'light' && viewport.width === 1440)
          await page.screenshot({ path: join(shown, 'overview.png') })
      }
      await context.close()
    }
  }
}

async function player(page: Page, url: string): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 720 })
  await page.goto(`${url}&autoplay=1&muted=1`)
  const video = page.locator('video')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime), { timeout: 30_000 }).toBeGreaterThan(2)
  await page.mouse.move(640, 400)
  await page.screenshot({ path: join(folder, 'player.png') })
  await page.screenshot({ path: join(shown, 'player.png') })
}
