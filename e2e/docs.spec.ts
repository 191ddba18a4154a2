import { expect, type Page, test } from '@playwright/test'

const GUIDES = [
  '/docs',
  '/docs/authentication',
  '/docs/uploads',
  '/docs/playback',
  '/docs/player',
  '/docs/errors',
  '/docs/limits',
  '/docs/testing',
  '/docs/sdk',
  '/docs/versioning',
]

/** Returns every request of the page to another origin, and every error it logs. */
function watch(page: Page): string[] {
  const seen: string[] = []
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol.startsWith('http') && host !== `localhost:${process.env.REELGATE_E2E_PORT}`) seen.push(`asked ${request.url()}`)
  })
  page.on('console', (message) => message.type() === 'error' && seen.push(message.text()))
  page.on('pageerror', (error) => seen.push(error.message))
  return seen
}

// Accessibility of the guides: sweep.spec.ts.
test('guides fit a phone, and load from this origin alone', async ({ page }) => {
  const seen = watch(page)
  for (const guide of GUIDES) {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(guide)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.setViewportSize({ width: 360, height: 740 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth), guide).toBe(360)
  }
  expect(seen).toEqual([])
})

test('every link of a guide leads to a page', async ({ request, baseURL }) => {
  const links = new Set<string>()
  for (const guide of GUIDES) {
    const html = await (await request.get(guide)).text()
    for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) links.add(new URL(href, `${baseURL}${guide}`).href)
  }
  expect(links.size).toBeGreaterThan(30)
  const pages = new Map<string, string>()
  for (const link of links) {
    const { hash, pathname } = new URL(link)
    if (!pages.has(pathname)) {
      const response = await request.get(pathname)
      expect(response.status(), link).toBe(200)
      pages.set(pathname, await response.text())
    }
    if (hash) expect(pages.get(pathname), link).toContain(`id="${hash.slice(1)}"`)
  }
})

test('the address an error names explains it', async ({ page, request }) => {
  const { error } = await (await request.get('/v1/video')).json()
  await page.goto(error.docUrl)
  const section = page.getByRole('region', { name: error.code })
  await expect(section).toBeInViewport()
  await expect(section).toContainText('Fix')
})

test('a program is shown in the selected language', async ({ page }) => {
  await page.goto('/docs/playback')
  await page.getByRole('tab', { name: 'Python' }).click()
  await expect(page.getByText('urllib.request.urlopen')).toBeVisible()
  await expect(page.getByText('AbortSignal.timeout')).toBeHidden()
})

for (const width of [1280, 390]) {
  test(`the API reference at ${width} pixels shows every operation, from this origin alone`, async ({ page, baseURL }) => {
    const seen = watch(page)
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/docs/reference')
    await expect(page.getByRole('heading', { name: 'Reelgate API' })).toBeVisible()
    // It renders what is near the viewport, and on a phone the wheel must be over it.
    await page.mouse.move(width / 2, 450)
    for (const name of ['List videos', 'Get a video', 'Exchange a playback token for the manifest', 'Generate a playback token']) {
      await expect(async () => {
        await page.mouse.wheel(0, 700)
        await expect(page.getByRole('heading', { name, exact: true })).toBeVisible({ timeout: 250 })
      }).toPass()
    }
    await expect(page.getByText(baseURL as string).first()).toBeAttached()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    expect(await page.evaluate(() => document.fonts.check("14px 'Inter Variable'"))).toBe(true)
    expect(seen).toEqual([])
  })
}
