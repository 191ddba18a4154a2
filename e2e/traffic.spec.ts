import { readFileSync } from 'node:fs'
import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { soundInBothThemes } from './accessibility.ts'
import { newKey, newUser, visit } from './person.ts'
import { chooseRange } from './ranges.ts'

/** Calls with a key (none when empty); returns the status and the request id of the response. */
async function call(request: APIRequestContext, path: string, key: string, method = 'GET') {
  const response = await request.fetch(path, { method, headers: key ? { 'x-service-key': key } : {} })
  return { status: response.status(), id: response.headers()['x-request-id'] as string }
}

const panel = (page: Page) => page.getByRole('dialog', { name: 'Request details' })
const row = (page: Page, text: string | RegExp) => page.getByRole('table', { name: 'Requests' }).getByRole('row').filter({ hasText: text })

test('a failed call is found by its request id, with its cause and a next step', async ({ page, request, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { dashboard } = await newUser(page)
  const key = await newKey(dashboard, 'Shop')
  expect((await call(request, '/v1/video', key)).status).toBe(200)
  const failed = await call(request, '/v1/video/vid_typo', key)
  expect(failed.status).toBe(404)

  await visit(page, '/')
  await page.getByRole('link', { name: 'Requests', exact: true }).click()
  await expect(row(page, '/v1/video/vid_typo')).toBeVisible()
  const search = page.getByRole('textbox', { name: 'Search requests' })
  // Too short: it says so, also from a link, and shows all.
  await visit(page, '/requests?search=ab')
  await expect(search).toHaveValue('ab')
  await expect(search).toHaveAccessibleDescription('Enter at least 3 characters.')
  await expect(row(page, 'GET')).toHaveCount(2)
  await search.fill(failed.id)
  await expect(search).toHaveAccessibleDescription('')
  await expect(row(page, 'GET')).toHaveCount(1)
  await row(page, 'vid_typo')
    .getByRole('link', { name: /vid_typo/ })
    .click()
  await expect(page).toHaveURL(new RegExp(`/requests/${failed.id}`))
  const why = panel(page)
  const checks = why.getByRole('listitem')
  await expect(checks).toHaveText([/^Route passed/, /^Key passed/, /^Scope passed/, /^Input passed/, /^Ownership failed/])
  const refused = why.getByRole('region', { name: 'Why it was refused' })
  await expect(refused).toContainText('VIDEO_NOT_FOUND')
  await expect(refused).toContainText('This account has no video vid_typo.')
  await expect(refused.getByRole('link', { name: 'View videos' })).toBeVisible()
  await expect(why).toContainText('We keep bodies only for requests with a test key')
  await expect(why.getByText('x-service-key: <API_KEY>')).toBeVisible()
  await expect(why).not.toContainText(key)
  await soundInBothThemes(page)

  // The panel has an address: a reload shows the same; when closed, the log keeps its filter.
  await page.reload()
  await expect(panel(page)).toContainText('Ownership failed')
  await page.keyboard.press('Escape')
  await expect(panel(page)).toBeHidden()
  await expect(page).toHaveURL(/\/requests\?search=req_/)
  await page.goBack()
  await expect(panel(page)).toBeVisible()

  await page.goto('/requests/req_longago')
  await expect(panel(page)).toContainText('The request log has no request with this ID')
  // The requested id, and no other.
  await expect(panel(page).getByText(/req_\w+/)).toHaveText(['req_longago'])
  await soundInBothThemes(page)
})

test('letters step through the log, and times are in the zone that the reader chose', async ({ browser, baseURL, request }) => {
  const context = await browser.newContext({ baseURL: baseURL as string, timezoneId: 'Asia/Kolkata' })
  const page = await context.newPage()
  const { dashboard } = await newUser(page)
  const key = await newKey(dashboard, 'Shop')
  for (const id of ['vid_one', 'vid_two']) await call(request, `/v1/video/${id}`, key)
  await visit(page, '/requests')
  await expect(row(page, 'vid_')).toHaveCount(2)
  await page.keyboard.press('j')
  await expect(panel(page)).toContainText('vid_two')
  await page.keyboard.press('j')
  await expect(panel(page)).toContainText('vid_one')
  await expect(panel(page).getByRole('button', { name: 'Next request' })).toBeDisabled()
  await page.keyboard.press('k')
  await expect(panel(page)).toContainText('vid_two')
  await page.keyboard.press('Escape')
  await expect(page).toHaveURL(/\/requests$/)

  const time = row(page, 'vid_one').locator('time')
  const utc = new Date((await time.getAttribute('datetime')) as string)
  const clock = (at: Date) => at.toISOString().slice(11, 19)
  await expect(time).toContainText(clock(new Date(utc.getTime() + 5.5 * 3_600_000)))
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('menuitem', { name: 'UTC', exact: true }).click()
  await expect(time).toContainText(`${clock(utc)} UTC`)
  // The server renders it too.
  expect(await (await context.request.get('/requests')).text()).toContain(`${clock(utc)} UTC`)
  await context.close()
})

test('stepping goes on beyond the loaded part of the log', async ({ page, request }) => {
  const { dashboard } = await newUser(page)
  const key = await newKey(dashboard, 'Shop')
  const ids: string[] = []
  // The list loads 50 at a time. Failed calls are all logged.
  for (let n = 0; n < 52; n++) ids.push((await call(request, `/v1/video/vid_no${n}`, key)).id)
  await visit(page, '/requests')
  await expect(row(page, 'vid_no51')).toHaveCount(1)
  await visit(page, `/requests/${ids[2]}`)
  await expect(panel(page)).toContainText('vid_no2')
  await expect(panel(page).getByRole('button', { name: 'Next request' })).toBeEnabled()
  await page.keyboard.press('j')
  await expect(panel(page)).toContainText('vid_no1')
  await page.keyboard.press('j')
  await expect(panel(page)).toContainText('vid_no0')
})

test('the log follows calls live, stops on request, and is filtered', async ({ page, request }) => {
  const { dashboard } = await newUser(page)
  const [shop, site] = [await newKey(dashboard, 'Shop'), await newKey(dashboard, 'Site')]
  await page.goto('/requests')
  await expect(page.getByRole('heading', { name: 'No requests yet' })).toBeVisible()
  await soundInBothThemes(page)
  await call(request, '/v1/video', shop)
  await expect(row(page, '/v1/video')).toHaveCount(1)
  await call(request, '/v1/video/vid_other', site)
  await expect(row(page, '/v1/video')).toHaveCount(2)

  await page.getByRole('button', { name: 'Pause' }).click()
  await call(request, '/v1/video/vid_paused', site)
  // Calls are stored once a second.
  await expect.poll(async () => (await page.request.get('/requests')).text()).toContain('vid_paused')
  await page.getByRole('combobox', { name: 'Key' }).click()
  await page.getByRole('option', { name: /^Site/ }).click()
  // A filter refetches the log, which includes the calls since then.
  await expect(row(page, '/v1/video')).toHaveCount(2)
  await call(request, '/v1/video/vid_late', site)
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: '2xx Success' }).click()
  await expect(page.getByText('No matching requests')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(row(page, '/v1/video').first()).toBeVisible()
  await page.getByRole('button', { name: 'Follow live' }).click()
  await expect(row(page, 'vid_late')).toHaveCount(1)
  await soundInBothThemes(page)

  // The counters know no path that is no endpoint: what they count is said next to their sum.
  await call(request, '/v1/nothing', site)
  await expect(row(page, '/v1/nothing')).toHaveCount(1)
  const counts = page.getByRole('group', { name: 'Requests by status' })
  await expect(counts).toContainText('4 requests')
  await expect(counts).toContainText('Exact for accepted keys and known endpoints')

  // An address that holds the filter.
  await page.goto('/requests?outcome=failed')
  await expect(row(page, 'VIDEO_NOT_FOUND')).toHaveCount(3)
  await expect(row(page, 'Shop')).toHaveCount(0)
})

test('usage shows charts, and the same numbers as a table and as a file', async ({ page, request }) => {
  const { dashboard } = await newUser(page)
  const [shop, site] = [await newKey(dashboard, 'Shop'), await newKey(dashboard, 'Site')]
  for (let round = 0; round < 5; round++) await call(request, '/v1/video', shop)
  for (let round = 0; round < 2; round++) await call(request, '/v1/video/vid_none', site)
  const chart = (name: string) => page.getByRole('figure', { name, exact: true })
  await expect(async () => {
    await page.goto('/usage')
    await expect(chart('Requests').getByText('7', { exact: true }).first()).toBeVisible({ timeout: 10_000 })
  }).toPass()
  await expect(chart('Error rate')).toContainText('29%')
  await soundInBothThemes(page)

  await page.getByText('By key').click()
  const byKey = page.getByRole('table', { name: 'Requests by key' })
  await expect(byKey.getByRole('row').filter({ hasText: 'Shop' })).toContainText(/5.*71%/)
  await expect(byKey.getByRole('row').filter({ hasText: 'Site' })).toContainText(/2.*29%/)
  await expect(page).toHaveURL(/split=key/)
  await page.goto('/usage?split=key')
  await expect(byKey.getByRole('row').filter({ hasText: 'Shop' })).toContainText(/5.*71%/)
  await chooseRange(page, 'Last 7 days')
  await expect(page).toHaveURL(/\/usage\?range=7d&split=key$/)
  await expect(page.getByRole('table', { name: 'Usage by day' }).getByRole('row')).toHaveCount(8)
  await chooseRange(page, 'Today')
  await expect(page.getByRole('table', { name: 'Usage by hour' })).toBeVisible()
  await chooseRange(page, 'Last 30 days')
  await expect(page.getByRole('table', { name: 'Usage by day' }).getByRole('row')).toHaveCount(31)

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toMatch(/^reelgate-usage-.*-by-key\.csv$/)
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(lines).toHaveLength(31)
  expect(lines[0]).toBe('day_utc,requests,failed_requests,tokens_issued,tokens_refused,plays,requests: Shop,requests: Site')
  expect(lines.at(-1)).toMatch(/^\d{4}-\d\d-\d\d,7,2,0,0,0,5,2$/)
})

test('a custom range is typed, chosen in the calendar by keyboard, and kept in the address', async ({ page }) => {
  await newUser(page)
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/usage?range=last-month')
  const picker = page.getByRole('button', { name: /^Range: / })
  await expect(picker).toHaveText(/Last month/)
  await picker.press('Enter')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Last month' })).toHaveAttribute('aria-pressed', 'true')
  await expect(dialog.getByRole('button', { name: 'Previous month' })).toBeVisible()
  await soundInBothThemes(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)

  const [from, to] = [dialog.getByLabel('From'), dialog.getByLabel('To', { exact: true })]
  await from.fill('2020-01-01')
  await from.press('Enter')
  await expect(dialog.getByText('Choose at most 366 days.')).toBeVisible()
  await from.fill('2026-02-30')
  await from.press('Enter')
  await expect(dialog.getByText('Use YYYY-MM-DD.')).toBeVisible()
  await from.fill('2026-02-03')
  await to.fill('2026-02-07')
  // The calendar follows the fields; arrow keys move by days.
  await dialog.getByRole('button', { name: '9 February 2026', exact: true }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(from).toHaveValue('2026-02-10')
  await expect(to).toHaveValue('2026-02-12')
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await expect(picker).toHaveText(/Feb 10 – Feb 12, 2026/)
  await expect(picker).toBeFocused()
  await expect(page).toHaveURL(/\/usage\?from=2026-02-10&to=2026-02-12$/)
  await page.reload()
  await expect(picker).toHaveText(/Feb 10 – Feb 12, 2026/)
  await picker.click()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
})
