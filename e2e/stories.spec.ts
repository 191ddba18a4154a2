import { expect, type Page } from '@playwright/test'
import { settled } from './accessibility.ts'
import { test } from './closing-test.ts'
import { createFixtures, type Fixtures } from './fixtures.ts'
import { pathOf, shownOnce, visit } from './person.ts'
import { chooseRange } from './ranges.ts'

test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')

// One account with a past for all of these tests, which run in order.
test.describe.configure({ mode: 'default' })
let fixtures: Fixtures
test.beforeAll(async ({ baseURL }) => {
  fixtures = await createFixtures(baseURL as string)
})

const become = (page: Page, who: 'owner' | 'staff') => page.context().addCookies(fixtures[who].cookieJar())

test('the overview shows what needs attention, and the last month', async ({ page }) => {
  await become(page, 'owner')
  await visit(page, '/')
  await expect(page.getByRole('heading', { name: 'Needs attention' })).toBeVisible()
  const item = (text: RegExp) => page.getByRole('listitem').filter({ hasText: text })
  await expect(item(/Deliveries to .* are failing/).getByRole('link', { name: 'See responses' })).toBeVisible()
  const { days } = await fixtures.owner.query<{ days: { requests: number; issued: number; plays: number }[] }>('account.overview')
  for (const [title, field] of [
    ['Requests', 'requests'],
    ['Tokens issued', 'issued'],
    ['Plays', 'plays'],
  ] as const) {
    const total = days.slice(-30).reduce((sum, day) => sum + day[field], 0)
    if (field !== 'plays') expect(total).toBeGreaterThan(1_000)
    const tab = page.getByRole('tab', { name: title })
    await expect(tab).toContainText(total.toLocaleString('en-US'))
    await expect(tab).toContainText('previous 30 days')
    await tab.click()
    await page
      .getByRole('tabpanel')
      .getByRole('button', { name: /as a table$/ })
      .click()
    await expect(page.getByRole('tabpanel').getByRole('row')).toHaveCount(31)
  }
  await item(/Rushes, day 2 failed to transcode/)
    .getByRole('link', { name: 'See why' })
    .click()
  await expect(page.getByRole('heading', { name: 'Rushes, day 2' })).toBeVisible()
  await expect(page.getByText('Failed').first()).toBeVisible()
})

test('a key’s charts show its traffic; after a rotation the old key works until the overlap ends', async ({ page, request }) => {
  await become(page, 'owner')
  await visit(page, `/api-keys/${fixtures.key}`)
  await chooseRange(page, 'Last 30 days')
  await page.getByRole('button', { name: 'Show Requests as a table' }).click()
  await expect(page.getByRole('table', { name: 'Requests', exact: true }).getByRole('row')).toHaveCount(31)

  await page.getByRole('button', { name: 'Rotate' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Keep the old key active for' }).click()
  await page.getByRole('option', { name: '1 hour' }).click()
  await settled(page)
  await dialog.getByRole('button', { name: 'Rotate key' }).click()
  const value = (await dialog.getByTestId('secret').textContent()) ?? ''
  expect(value).not.toBe(fixtures.headers['x-service-key'])
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('Rotated. The previous key still works')).toBeVisible()
  const rotations = page.getByRole('table', { name: 'Rotations' }).getByRole('row')
  await expect(rotations.nth(1)).toContainText('Current')
  await expect(rotations.nth(2)).toContainText('Expiring')
  for (const key of [fixtures.headers['x-service-key'], value])
    expect((await request.get('/v1/video', { headers: { 'x-service-key': key } })).status()).toBe(200)
  await visit(page, '/api-keys')
  await expect(page.getByRole('row', { name: /Production backend/ })).toHaveCount(1)
  await expect(page.getByRole('row', { name: /Production backend/ })).toContainText('rotated, previous until')
  await visit(page, `/api-keys/${fixtures.key}`)
  // While a page streams in, a hidden copy has the same words.
  await expect(page.getByText('This key was rotated and stops working').filter({ visible: true })).toBeVisible()
  await page.getByRole('button', { name: 'End overlap' }).click()
  await dialog.getByRole('button', { name: 'End overlap' }).click()
  await expect(page.getByText('This key was rotated and stopped working')).toBeVisible()
  await expect
    .poll(async () => (await request.get('/v1/video', { headers: { 'x-service-key': fixtures.headers['x-service-key'] } })).status())
    .toBe(401)
})

test('support reads how a video was processed and what was delivered, and grants a request', async ({ page }) => {
  const staff = await page.context().browser()?.newContext({ baseURL: test.info().project.use.baseURL })
  const desk = (await staff?.newPage()) as Page
  await become(desk, 'staff')
  await visit(desk, `/support/accounts/${fixtures.account}/videos`)
  await desk.getByRole('link', { name: 'Rushes, day 2' }).click()
  await expect(desk.getByRole('heading', { name: 'Processing log' })).toBeVisible()
  await expect(desk.locator('li[data-tone=bad]')).toBeVisible()
  await visit(desk, `/support/accounts/${fixtures.account}/webhooks/${fixtures.endpoint}`)
  const deliveries = desk.getByRole('table', { name: 'Deliveries' })
  await expect(deliveries.getByRole('row').filter({ hasText: 'Delivered' })).toHaveCount(2)
  await deliveries.getByRole('button', { name: 'video.processing.completed' }).click()
  await expect(desk.getByRole('dialog')).toContainText(/200/)
  await desk.keyboard.press('Escape')

  const { account } = await fixtures.owner.query<{ account: { name: string } }>('account.me')
  await visit(desk, '/support/quota-requests')
  await desk.getByRole('button', { name: `Review ${account.name}` }).click()
  const dialog = desk.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Tokens per day' }).fill('8000')
  await dialog.getByRole('textbox', { name: 'Reply' }).fill('Good luck with the festival')
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await expect(desk.getByText('Request approved: 8,000 tokens per day.')).toBeVisible()
  await expect(desk.getByRole('button', { name: `Review ${account.name}` })).toHaveCount(0)
  await staff?.close()

  await become(page, 'owner')
  // The request was for the key that was rotated above; its replacement has it.
  await visit(page, '/api-keys')
  await page
    .getByRole('row', { name: /Production backend/ })
    .getByRole('link')
    .click()
  await expect(page.getByText('8,000 per day approved. Good luck with the festival').filter({ visible: true })).toBeVisible()
})

test('an invitation is renewed and withdrawn, and the log shows each change with both values, also as JSON', async ({ page, browser }) => {
  await become(page, 'owner')
  await visit(page, '/team')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Create new link for grace@example.com' }).click()
  const link = await shownOnce(page)
  await dialog.getByRole('button', { name: 'Done' }).click()
  const guest = await (await browser.newContext({ baseURL: test.info().project.use.baseURL })).newPage()
  await visit(guest, fixtures.invitation)
  await expect(guest.getByRole('main')).toContainText('used or withdrawn')
  await visit(guest, pathOf(link))
  await expect(guest.getByRole('button', { name: 'Create account and join' })).toBeVisible()
  await page.getByRole('button', { name: 'Withdraw invitation of grace@example.com' }).click()
  await expect(page.getByRole('table', { name: 'Invitations' })).toHaveCount(0)
  await guest.reload()
  await expect(guest.getByRole('main')).toContainText('used or withdrawn')

  const { account } = await fixtures.owner.query<{ account: { name: string } }>('account.me')
  await visit(page, '/settings')
  await page.getByRole('textbox', { name: 'Account name' }).fill('Studio of the North')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Account renamed.')).toBeVisible()
  await visit(page, '/team/audit-log')
  const rows = page.getByRole('table', { name: 'Changes' }).getByRole('row')
  const renamed = rows.filter({ hasText: 'renamed the account' })
  await expect(renamed.locator('del')).toHaveText(account.name)
  await expect(renamed.locator('ins')).toHaveText('Studio of the North')
  await expect(rows.filter({ hasText: 'withdrew an invitation' })).toHaveCount(1)
  await page.getByRole('button', { name: 'Export' }).click()
  const item = page.getByRole('menuitem', { name: 'JSON' })
  await expect(item).toBeVisible()
  await settled(page)
  const download = page.waitForEvent('download')
  await item.click()
  const file = await download
  expect(file.suggestedFilename()).toBe('audit-log.json')
  const entries = JSON.parse(Buffer.concat(await (await file.createReadStream()).toArray()).toString()) as { action: string }[]
  expect(entries.slice(0, 3).map(({ action }) => action)).toEqual(['account.rename', 'team.invite.revoke', 'team.invite'])
})
