import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, type Page, test } from '@playwright/test'
import { faults } from './accessibility.ts'
import { newUser, visit } from './person.ts'
import { publishVideo } from './published-video.ts'

/** What the page's script records of the element. */
interface Watched {
  seen: string[]
  player: { play(): void; pause(): void; currentTime: number; duration: number; paused: boolean }
}
declare const watched: Watched

/** Starts another site, on a separate host, with the element for the token in its URL. */
async function otherSite(baseURL = ''): Promise<Server> {
  const server = createServer((request, response) => {
    const token = new URL(request.url ?? '/', 'http://x').searchParams.get('token')
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><script async src="${baseURL}/player/reelgate-player.js"></script>
<reelgate-player token="${token}" muted autoplay color="f60" style="width: 640px"></reelgate-player>
<script>
  const watched = { seen: [], player: document.querySelector('reelgate-player') }
  for (const type of ['ready', 'play', 'pause', 'timeupdate', 'seeked', 'error'])
    watched.player.addEventListener(type, () => watched.seen.push(type))
</script>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const seen = (page: Page) => page.evaluate(() => watched.seen)

test('on the sites an owner allows the element plays, reports and obeys, and the charts count it', async ({ page, baseURL }) => {
  const recipe = { kind: 'clip', seconds: 6, targetQuality: '240p' } as const
  const { dashboard, videoId, token: issue } = await publishVideo(baseURL ?? '', recipe, { title: 'Opening night' })
  const token = async () => (await issue()).token
  const site = await otherSite(baseURL)
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`
  const reports: number[] = []
  page.on('response', (response) => response.url().endsWith('/beacon') && reports.push(response.status()))

  await page.goto(`http://${host}/?token=${await token()}`)
  await expect.poll(() => seen(page)).toEqual(expect.arrayContaining(['ready', 'play', 'timeupdate']))
  expect(await page.evaluate(() => watched.player.duration)).toBeCloseTo(6, 0)
  await page.evaluate(() => {
    watched.player.currentTime = 3
  })
  await expect.poll(() => seen(page)).toContain('seeked')
  // The start of playback may have been a seek as well.
  await expect.poll(() => page.evaluate(() => watched.player.currentTime)).toBeGreaterThanOrEqual(3)
  await page.evaluate(() => watched.player.pause())
  await expect.poll(() => seen(page)).toContain('pause')
  expect(await page.evaluate(() => watched.player.paused)).toBe(true)
  // The element has the picture's aspect ratio.
  const box = await page.locator('reelgate-player').boundingBox()
  expect((box?.width ?? 0) / (box?.height ?? 1)).toBeCloseTo(854 / 480, 1)
  await expect.poll(() => reports.length).toBeGreaterThan(1)
  expect(new Set(reports)).toEqual(new Set([204]))

  await dashboard.mutate('account.setEmbedDomains', { domains: ['other.example'], expected: [] })
  await page.goto(`http://${host}/?token=${await token()}`)
  await expect.poll(() => page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/')
  expect(await seen(page)).toEqual([])

  await dashboard.mutate('account.setEmbedDomains', { domains: ['other.example', host], expected: ['other.example'] })
  await page.goto(`http://${host}/?token=${await token()}`)
  await expect.poll(() => seen(page)).toContain('timeupdate')
  // A page whose token request failed often sets an empty one.
  const reported = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const player = document.querySelector('reelgate-player') as HTMLElement
        player.addEventListener('error', (event) => resolve((event as unknown as CustomEvent).detail), { once: true })
        player.setAttribute('token', '')
      }),
  )
  expect(reported).toMatchObject({ code: 'PLAYBACK_TOKEN_INVALID', message: expect.stringContaining('token is empty') })
  site.closeAllConnections()
  site.close()

  // Without a request: title, poster, captions and previews.
  const text = 'WEBVTT\n\n00:00.000 --> 00:06.000\nThe harbour at dawn.'
  await dashboard.mutate('video.putCaptions', { videoId, language: 'en', text, expected: null })
  await page.goto(`/embed/${videoId}?token=${await token()}&color=f60`)
  await expect(page.locator('#title')).toHaveText('Opening night')
  await expect(page).toHaveTitle('Opening night')
  const captions = page.getByRole('switch', { name: /captions/i })
  await expect(captions).toHaveAttribute('aria-checked', 'false')
  await page.keyboard.press('c')
  await expect(captions).toHaveAttribute('aria-checked', 'true')
  const video = page.locator('video')
  await expect
    .poll(() => video.evaluate((element: HTMLVideoElement) => [...element.textTracks].map(({ cues }) => cues?.length)))
    // One line of captions, and a picture for every two seconds.
    .toEqual([1, 3])
  expect(await video.getAttribute('poster')).toMatch(/\/poster\.jpg$/)
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'))).toBe('#ff6600')
  expect(await faults(page)).toEqual([])

  // The dashboard's own preview needs no permission, and does not count as viewing.
  await page.context().addCookies(dashboard.cookieJar())
  reports.length = 0
  await visit(page, `/videos/${videoId}`)
  // The player is loaded on request, and has the focus then.
  await expect(page.locator('iframe[title=Preview]')).toHaveCount(0)
  await page.getByRole('button', { name: /^Play / }).press('Enter')
  await expect(page.locator('iframe[title=Preview]')).toBeFocused()
  const preview = page.frameLocator('iframe[title=Preview]').locator('video')
  await preview.evaluate((element: HTMLVideoElement) => {
    element.muted = true
    return element.play()
  })
  await expect.poll(() => preview.evaluate((element: HTMLVideoElement) => element.currentTime)).toBeGreaterThan(0.5)
  expect(reports).toEqual([])
  await page.getByRole('navigation', { name: 'Video', exact: true }).getByRole('link', { name: 'Analytics' }).click()
  await expect(page.getByRole('figure', { name: 'Plays' })).toContainText(/^Plays\s*2\D/)
  await expect(page.getByRole('slider', { name: 'Plays' })).toBeVisible()
  expect(await faults(page)).toEqual([])
  await page.getByRole('button', { name: 'Show Plays as a table' }).click()
  await expect(page.getByRole('table', { name: 'Plays' }).getByRole('row').nth(1)).toContainText('2')
})

test('an owner sets on which sites the player may be shown', async ({ page }) => {
  await newUser(page)
  await visit(page, '/settings')
  await page.getByRole('radio', { name: 'Only these sites' }).check()
  const domains = page.getByRole('combobox', { name: 'Domains' }).or(page.getByRole('textbox', { name: 'Domains' }))
  await domains.fill('not a domain!')
  await domains.press('Enter')
  await expect(page.getByText(/is not a valid domain/).first()).toBeVisible()
  await domains.fill('https://Shop.Example.com/watch')
  await domains.press('Enter')
  const listed = page.getByText('shop.example.com', { exact: true }).filter({ visible: true })
  await expect(listed).toBeVisible()
  expect(await faults(page)).toEqual([])
  await page
    .locator('form')
    .filter({ has: page.getByRole('radio', { name: 'Only these sites' }) })
    .getByRole('button', { name: 'Save' })
    .click()
  await expect(page.getByText(/^Saved/)).toBeVisible()
  await page.reload()
  await expect(listed).toBeVisible()
})

test('the element takes the shape of each video that it shows, unless its page has set one', async ({ page }) => {
  const ready = (tall: boolean) => {
    const state = tall ? { videoWidth: 1080, videoHeight: 1920 } : { videoWidth: 1920, videoHeight: 1080 }
    return JSON.stringify({ channel: 'reelgate-player', type: 'ready', state })
  }
  await page.route('**/embed/**', (route) => {
    const body = `<!doctype html><script>parent.postMessage(${ready(route.request().url().includes('vid_tall'))}, '*')</script>`
    return route.fulfill({ contentType: 'text/html', body })
  })
  const body = `<!doctype html><script async src="/player/reelgate-player.js"></script>
<reelgate-player token="a" video-id="vid_wide" style="width: 320px"></reelgate-player>
<reelgate-player token="a" video-id="vid_tall" style="width: 320px; aspect-ratio: 4 / 3"></reelgate-player>`
  await page.route('**/playlist-of-a-site', (route) => route.fulfill({ contentType: 'text/html', body }))
  await page.goto('/playlist-of-a-site')
  const [own, given] = [page.locator('reelgate-player').first(), page.locator('reelgate-player').last()]
  const height = async (player = own) => (await player.boundingBox())?.height
  await expect.poll(height).toBe(180)
  await own.evaluate((player) => player.setAttribute('video-id', 'vid_tall'))
  await expect.poll(height).toBeCloseTo(569, 0)
  await own.evaluate((player) => player.setAttribute('video-id', 'vid_wide'))
  await expect.poll(height).toBe(180)
  expect(await height(given)).toBe(240)
})
