import { expect, type Page, test } from '@playwright/test'
import { PAGES } from '../app/docs/_parts/pages.ts'
import { ALIASES } from '../app/docs/_parts/search/aliases.ts'
import { soundInBothThemes } from './accessibility.ts'
import { live, newKey, newUser } from './person.ts'

const GUIDES = PAGES.map(({ href }) => href)

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

test('every table of contents lists all sections of its page, and every page links to its neighbours', async ({ request }) => {
  for (const [at, { href }] of PAGES.entries()) {
    const html = await (await request.get(href)).text()
    const [main = '', rest = ''] = html.split('</main>')
    const headings = [...main.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id)
    const listed = [...(rest.split('</nav>')[0] ?? '').matchAll(/<a href="#([^"]+)"/g)].map(([, id]) => id)
    expect(listed, href).toEqual(headings.length > 1 ? headings : [])
    for (const [rel, page] of [
      ['prev', PAGES[at - 1]],
      ['next', PAGES[at + 1]],
    ] as const) {
      const link = main.match(new RegExp(`<a [^>]*rel="${rel}"[^>]*>`))?.[0]
      expect(link?.match(/href="([^"]+)"/)?.[1], `${rel} of ${href}`).toBe(page?.href)
    }
  }
})

test('the table of contents marks the section that is read', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/docs/errors')
  const contents = page.getByRole('navigation', { name: 'On this page' })
  await contents.getByRole('link', { name: 'VIDEO_NOT_FOUND' }).click()
  await expect(page.getByRole('heading', { name: 'VIDEO_NOT_FOUND' })).toBeInViewport()
  await expect(contents.locator('[aria-current]')).toHaveText('VIDEO_NOT_FOUND')
})

test('the navigation of a phone is a drawer that closes when a page opens', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/docs')
  const navigation = page.getByRole('navigation', { name: 'Docs' })
  await expect(navigation).toBeHidden()
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await navigation.getByRole('link', { name: 'Webhooks' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Webhooks' })).toBeVisible()
  await expect(navigation).toBeHidden()
  await page.locator('summary').click()
  await expect(page.getByRole('navigation', { name: 'On this page' }).getByRole('link').first()).toBeVisible()
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

test('code has the URL of the installation and, for a signed-in reader, the beginning of a key, but never the key', async ({
  page,
  baseURL,
}) => {
  const code = page.locator('pre').first()
  await page.goto('/docs/playback')
  await expect(code).toContainText(`REELGATE_URL=${baseURL}`)
  await expect(code).toContainText('REELGATE_API_KEY=ak_live_…')
  const { dashboard } = await newUser(page)
  const key = await newKey(dashboard, 'Site')
  await page.goto('/docs/playback')
  await expect(code).toContainText(`REELGATE_API_KEY=${key.slice(0, 12)}…`)
  expect(await page.content()).not.toContain(key)
})

test('a program is shown in the selected language', async ({ page }) => {
  await page.goto('/docs/playback')
  await page.getByRole('tab', { name: 'Python' }).click()
  await expect(page.getByText('urllib.request.urlopen')).toBeVisible()
  await expect(page.getByText('AbortSignal.timeout')).toBeHidden()
})

test('a page of the API reference shows what an operation takes and returns, and a language is chosen for all examples', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/docs/reference/playback')
  const operation = page.getByRole('region', { name: 'Generate a playback token' })
  await expect(operation.getByText('/v1/video/{videoId}/playback-token')).toBeVisible()
  await expect(operation.getByText('Requires a key with the scope')).toBeVisible()
  await operation.getByText(/^Errors \d/).click()
  await expect(operation.getByRole('link', { name: 'RATE_LIMIT_EXCEEDED' })).toBeVisible()
  await operation.getByText('Values of details').last().click()
  await expect(operation.getByText('Why the request was refused; absent if the key has used its own quota.')).toBeVisible()
  await expect(operation.getByRole('link', { name: 'INVALID_API_KEY' })).toHaveCount(0)
  await expect(operation.getByRole('link', { name: 'common errors' })).toHaveAttribute('href', '/docs/reference#common-errors')
  await operation.getByRole('tab', { name: 'TypeScript' }).click()
  await expect(operation.getByText('reelgate.createPlaybackToken(')).toBeVisible()
  const other = page.getByRole('region', { name: 'Exchange a playback token for the manifest' })
  await expect(other.getByText('reelgate.getPlaybackManifest(')).toBeVisible()
})

test('the console of an operation sends requests with a temporary test key, and explains itself to visitors', async ({ page }) => {
  await page.goto('/docs/reference/videos')
  const operation = page.getByRole('region', { name: 'Get a video', exact: true })
  await operation.getByRole('button', { name: 'Try it' }).click()
  await expect(operation.getByText('Sign in to send requests')).toBeVisible()
  await expect(operation.getByRole('button', { name: 'Send GET request' })).toBeDisabled()

  const { dashboard } = await newUser(page)
  const consoleKeys = async () => {
    const keys = await dashboard.query<{ name: string; environment: string; state: string }[]>('key.list')
    return keys.filter(({ name }) => name.startsWith('Docs console')).map(({ environment, state }) => `${environment} ${state}`)
  }
  await page.goto('/docs/reference/videos')
  await operation.getByRole('button', { name: 'Try it' }).click()
  await expect(operation.getByText('Test key')).toContainText('video:read')
  await soundInBothThemes(page)
  await operation.getByRole('button', { name: 'Send GET request' }).click()
  await expect(operation.getByText('200 OK')).toBeVisible()
  await expect(operation.getByText('"id": "vid_test_completed"').last()).toBeVisible()
  await operation.getByLabel('videoId').fill('vid_thereisnone')
  await operation.getByRole('button', { name: 'Send GET request' }).click()
  await expect(operation.getByText('404 Not Found')).toBeVisible()
  expect(await consoleKeys()).toEqual(['TEST ACTIVE'])
  await operation.getByRole('button', { name: 'Revoke' }).click()
  await expect(operation.getByText('The test key is revoked.')).toBeVisible()
  await expect.poll(consoleKeys).toEqual(['TEST REVOKED'])
})

test('the overview of the API reference links to every operation', async ({ page, request, baseURL }) => {
  await page.goto('/docs/reference')
  await expect(page.getByText(baseURL as string).first()).toBeVisible()
  const { paths } = (await (await request.get('/v1/openapi.json')).json()) as { paths: Record<string, object> }
  const operations = Object.values(paths).flatMap((methods) => Object.keys(methods))
  await expect(page.getByRole('table', { name: 'Operations' }).getByRole('link')).toHaveCount(operations.length)
})

test('the search finds sections, operations and errors, and is used with the keyboard', async ({ page }) => {
  await page.goto('/docs')
  await live(page)
  await page.keyboard.press('/')
  const search = page.getByRole('dialog', { name: 'Search the docs' })
  const field = search.getByRole('combobox')
  await expect(field).toBeFocused()
  await field.fill('idempotency')
  const chosen = search.getByRole('option', { selected: true })
  await expect(chosen).toHaveCount(1)
  await soundInBothThemes(page)
  const first = await chosen.textContent()
  await page.keyboard.press('ArrowDown')
  expect(await chosen.textContent()).not.toBe(first)
  await expect(field).toHaveAttribute('aria-activedescendant', (await chosen.getAttribute('id')) as string)
  await field.fill('createPlaybackToken')
  await expect(chosen).toContainText('Generate a playback token')
  await field.fill('sso')
  await expect(chosen).toContainText('single sign-on')
  await field.fill('VIDEO_NOT_FOUND')
  await expect(chosen).toContainText('VIDEO_NOT_FOUND')
  await page.keyboard.press('Enter')
  await expect(search).toBeHidden()
  await expect(page.getByRole('heading', { level: 2, name: 'VIDEO_NOT_FOUND' })).toBeInViewport()
  await page.keyboard.press('ControlOrMeta+k')
  await field.fill('zzzzzz')
  await expect(search.getByRole('status')).toHaveText('No results for “zzzzzz”.')
  await page.keyboard.press('Escape')
  await expect(search).toBeHidden()
})

test('the search has the text of every section of the docs', async ({ request }) => {
  const entries = (await (await request.get('/docs/search.json')).json()) as { href: string; text: string }[]
  const hrefs = entries.map(({ href }) => href)
  for (const { href } of PAGES) {
    const html = await (await request.get(href)).text()
    const sections = [...html.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => `${href}#${id}`)
    expect(hrefs.filter((one) => one === href || one.startsWith(`${href}#`))).toEqual([href, ...sections])
  }
  expect(entries.filter(({ text }) => text === '').map(({ href }) => href)).toEqual([])
  expect(hrefs).toEqual(expect.arrayContaining(Object.keys(ALIASES)))
})
