import { expect, type Locator, type Page } from '@playwright/test'
import { soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { operator } from './operator.ts'
import { newKey, newUser, PASSWORD, visit } from './person.ts'
import { newStaff, setUpRequired } from './second-factor.ts'
import { openedAccount } from './support-account.ts'

// A running server has its data elsewhere, where the test is no operator.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')

/** Searches from the support page. The field keeps the focus. */
async function find(page: Page, text: string): Promise<void> {
  await visit(page, '/support')
  const search = page.getByRole('textbox', { name: 'Search accounts' })
  await expect(search).toBeFocused()
  await page.keyboard.insertText(text)
  await page.keyboard.press('Enter')
  await expect(page.getByText(/: (?:\d+|no results)$/)).toBeVisible()
  await expect(search).toBeFocused()
}

test('support has pages while the role lasts, once two-factor sign-in is set up', { tag: '@deep' }, async ({ browser }) => {
  const page = await (await browser.newContext()).newPage()
  const { email } = await newUser(page)
  expect((await page.goto('/support'))?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  expect(await operator('grant-support', email, '--unverified')).toContain('is now support staff')
  await page.goto('/support')
  await setUpRequired(page)
  await expect(page).toHaveURL(/\/support$/)
  await page.getByRole('navigation', { name: 'Support' }).getByRole('link', { name: 'Accounts' }).click()
  await expect(page.getByRole('table', { name: 'Accounts' })).toBeVisible()
  await page.getByRole('button', { name: 'Tokens refused' }).click()
  await expect(page.getByRole('columnheader', { name: 'Tokens refused' })).toHaveAttribute('aria-sort', 'descending')

  // Revoked while the page is open: the next request finds nothing.
  await operator('revoke-support', email)
  await page.getByRole('button', { name: 'Storage' }).click()
  await expect(
    page.getByText('No endpoint exists at this URL', { exact: false }).or(page.getByRole('heading', { name: 'Page not found' })),
  ).toBeVisible()
  expect((await page.goto('/support/accounts'))?.status()).toBe(404)
})

test('support finds a call by its request ID, and an account by a pasted key, and reads why the call failed', async ({
  browser,
  request,
}) => {
  const owner = await (await browser.newContext()).newPage()
  const { email: ownersEmail, dashboard } = await newUser(owner)
  const key = await newKey(dashboard, 'Backend')
  const failed = await request.get('/v1/video/vid_thereisnone', { headers: { 'x-service-key': key } })
  expect(failed.status()).toBe(404)
  const { requestId } = (await failed.json()).error as { requestId: string }
  const page = await (await browser.newContext()).newPage()
  await newStaff(page)

  // The log is written once a second.
  await expect(async () => {
    await find(page, requestId)
    await expect(page.getByText('Request ID: 1')).toBeVisible({ timeout: 10_000 })
  }).toPass()
  await expect(page.getByRole('row', { name: new RegExp(ownersEmail) })).toBeVisible()
  await soundInBothThemes(page)
  await page.getByRole('table', { name: 'Results' }).getByRole('link').click()
  await expect(page.getByText('404 VIDEO_NOT_FOUND')).toBeVisible()
  await expect(page.getByText('Video is in the key’s account – failed')).toBeVisible()
  await expect(page.getByText('API key is valid and active – passed')).toBeVisible()
  await expect(page.getByText('Next step:')).toBeVisible()
  await soundInBothThemes(page)

  // A pasted key finds its account, also from the page of a request, and is not put into the address.
  const search = page.getByRole('textbox', { name: 'Search accounts' })
  await page.getByRole('navigation', { name: 'Account sections' }).getByRole('link', { name: 'Requests' }).focus()
  await page.keyboard.press('/')
  await expect(search).toBeFocused()
  await page.keyboard.insertText(key)
  await page.keyboard.press('Enter')
  await expect(page.getByText('API key: 1')).toBeVisible()
  expect(page.url()).not.toContain('ak_')
  await expect(search).toHaveValue('')
  // The browser's history has the searches that are no secret.
  await find(page, ownersEmail)
  await search.fill('nobody has this name')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Name or email: no results')).toBeVisible()
  await page.goBack()
  await expect(page.getByText('Name or email: 1')).toBeVisible()
})

/** Chooses an action of the key “Backend”. */
async function act(page: Page, row: Locator, name: string): Promise<Locator> {
  await row.getByRole('button', { name: 'Actions for Backend' }).click()
  await page.getByRole('menuitem', { name }).click()
  return page.getByRole('dialog')
}

test('support raises a key’s quota, and disables and enables the key; the owner reads why', { tag: '@deep' }, async ({
  browser,
  request,
}) => {
  const { owner, key, page, staffEmail } = await openedAccount(browser)
  const status = async () => (await request.get('/v1/video', { headers: { 'x-service-key': key } })).status()
  expect(await status()).toBe(200)
  await find(page, key)
  await expect(page.getByText('API key: 1')).toBeVisible()
  await page.getByRole('table', { name: 'Results' }).getByRole('link').click()
  const row = page.getByRole('row', { name: /Backend/ })
  await expect(row).toContainText('1,000')
  const dialog = await act(page, row, 'Set quota')
  await dialog.getByRole('textbox', { name: 'Tokens per day' }).fill('9000')
  await dialog.getByRole('button', { name: 'Set quota' }).click()
  await expect(dialog.getByText(/Enter a reason/)).toBeVisible()
  await soundInBothThemes(page)
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Launch on Friday, ticket 4711')
  await dialog.getByRole('button', { name: 'Set quota' }).click()
  await expect(row).toContainText('9,000')
  await expect(row).toContainText('set by support')

  // The value of the key leaked: its requests, and an end to it.
  await act(page, row, 'Show requests')
  await expect(page.getByRole('row', { name: /\/v1\/video/ }).first()).toBeVisible()
  await page.goBack()
  await act(page, row, 'Disable key')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The value is in a public repository')
  await dialog.getByRole('button', { name: 'Disable key' }).click()
  await expect(row).toContainText('Disabled')
  await expect.poll(status).toBe(401)
  await expect(row).toContainText('The value is in a public repository')
  await act(page, row, 'Enable key')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('It was a key of another service')
  await soundInBothThemes(page)
  await dialog.getByRole('button', { name: 'Enable key' }).click()
  await expect(row).toContainText('Active')
  await expect.poll(status).toBe(200)

  await owner.goto('/team/audit-log')
  for (const entry of [staffEmail, 'viewed the account', 'Launch on Friday, ticket 4711', 'It was a key of another service'])
    await expect(owner.getByText(entry).first()).toBeVisible()
})

test('support walks an account’s sections, adjusts its balance and changes its tier; the owner reads why', async ({ browser }) => {
  const { owner, page } = await openedAccount(browser)
  const parts = page.getByRole('navigation', { name: 'Account sections' })
  for (const part of ['Videos', 'Requests', 'Webhooks', 'Billing']) {
    await parts.getByRole('link', { name: part }).click()
    await expect(parts.getByRole('link', { name: part })).toHaveAttribute('aria-current', 'page')
  }
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Adjust balance' }).click()
  await dialog.getByRole('textbox', { name: 'Credits' }).fill('12.5')
  await expect(dialog.getByText('Balance: 0 → 12.5 credits')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Goodwill after the outage')
  await soundInBothThemes(page)
  await dialog.getByRole('button', { name: 'Add credit' }).click()
  await expect(page.getByRole('row', { name: /Goodwill after the outage/ })).toContainText('+12.5')
  await page.getByRole('button', { name: 'Change tier' }).click()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Moved by agreement')
  await soundInBothThemes(page)
  await dialog.getByRole('button', { name: 'Change tier' }).click()
  await expect(page.locator('main header').getByText('Paid')).toBeVisible()

  await owner.goto('/team/audit-log')
  for (const entry of ['Goodwill after the outage', 'Moved by agreement']) await expect(owner.getByText(entry).first()).toBeVisible()
})

test('an operator reads the state and the settings, and grants a role', async ({ browser }) => {
  const user = await (await browser.newContext()).newPage()
  const { email } = await newUser(user)
  const page = await (await browser.newContext()).newPage()
  await newStaff(page)
  expect((await page.goto('/operator'))?.status()).toBe(404)
  await newStaff(page, 'operator')
  await visit(page, '/')
  await page.getByRole('link', { name: 'Operator console' }).click()
  await expect(page.getByRole('heading', { name: 'Status' })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Processes' })).toContainText('Running')
  for (const trend of ['Requests', 'Failed transcodes', 'Wait for a worker', 'Stored media'])
    await expect(page.getByRole('slider', { name: trend })).toBeVisible()
  // The server under test has no backups.
  await expect(page.getByRole('listitem').filter({ hasText: 'No backups are scheduled' })).toContainText('BACKUP_URL')
  const places = page.getByRole('navigation', { name: 'Operator' })
  await places.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('textbox', { name: 'Search settings' }).fill('REELGATE_SECRET')
  await expect(page.getByRole('row', { name: /^REELGATE_SECRET /u })).toContainText(/Set|Unset/)

  await places.getByRole('link', { name: 'Access' }).click()
  await page.getByRole('button', { name: 'Grant a role' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email)
  await dialog.getByRole('checkbox', { name: 'I have verified' }).check()
  await dialog.getByLabel('Your password').fill('not the password')
  await dialog.getByRole('button', { name: 'Grant role' }).click()
  await expect(dialog.getByText('Incorrect password.')).toBeVisible()
  await soundInBothThemes(page)
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Grant role' }).click()
  await expect(page.getByRole('row', { name: new RegExp(email) })).toContainText('Support')
  await places.getByRole('link', { name: 'Log' }).click()
  await expect(page.getByRole('table', { name: 'Changes' })).toContainText('granted a role to a user')
})

test('an operator announces something to all dashboards, where each user dismisses it', { tag: '@deep' }, async ({ browser }) => {
  const user = await (await browser.newContext()).newPage()
  const { email } = await newUser(user)
  const page = await (await browser.newContext()).newPage()
  await newStaff(page, 'operator')
  const message = `Maintenance for ${email}`
  await visit(page, '/operator/announcements')
  await page.getByRole('button', { name: 'New announcement' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Announce' }).click()
  await expect(dialog.getByText('Enter a message.')).toBeVisible()
  await soundInBothThemes(page)
  await dialog.getByRole('textbox', { name: 'Message' }).fill(message)
  await dialog.getByRole('button', { name: 'Announce' }).click()
  await expect(dialog).toBeHidden()
  await visit(user, '/')
  await expect(user.getByText(message)).toBeVisible()
  await expect(user.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
  await soundInBothThemes(user)
  const shown = user.getByRole('region', { name: /^Announcement/ }).filter({ hasText: message })
  await shown.getByRole('button', { name: 'Dismiss announcement' }).click()
  await expect(shown).toHaveCount(0)
  await page
    .getByRole('row', { name: new RegExp(message) })
    .getByRole('button', { name: 'End' })
    .click()
  await expect(page.getByRole('row', { name: new RegExp(message) })).toContainText('Ended')
  await soundInBothThemes(page)
})
