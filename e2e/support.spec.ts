import { expect } from '@playwright/test'
import { soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { operator } from './operator.ts'
import { newKey, newUser, PASSWORD, visit } from './person.ts'
import { newStaff, setUpRequired } from './second-factor.ts'

// A running server has its data elsewhere, where the test is no operator.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')

test('support finds a call by its request id, reads why it failed, and raises a quota, which the owner sees', async ({
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
  const { email } = await newUser(page)
  expect((await page.goto('/support'))?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  expect(await operator('grant-support', email, '--unverified')).toContain('is now support staff')
  await page.goto('/support')
  await soundInBothThemes(page)
  await setUpRequired(page)
  await expect(page).toHaveURL(/\/support$/)
  await soundInBothThemes(page)

  const find = async (text: string) => {
    await visit(page, '/support')
    const search = page.getByRole('textbox', { name: 'Search accounts' })
    await expect(search).toBeFocused()
    await page.keyboard.insertText(text)
    await page.keyboard.press('Enter')
    await expect(page.getByText(/: (?:\d+|no results)$/)).toBeVisible()
    await expect(search).toBeFocused()
  }
  // The log is written once a second.
  await expect(async () => {
    await find(requestId)
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
  await page.getByRole('navigation', { name: 'Account sections' }).getByRole('link', { name: 'Requests' }).focus()
  await page.keyboard.press('/')
  await expect(page.getByRole('textbox', { name: 'Search accounts' })).toBeFocused()
  await page.keyboard.insertText(key)
  await page.keyboard.press('Enter')
  await expect(page.getByText('API key: 1')).toBeVisible()
  expect(page.url()).not.toContain('ak_')
  await expect(page.getByRole('textbox', { name: 'Search accounts' })).toHaveValue('')
  // The browser's history has the searches that are no secret.
  await find(ownersEmail)
  await page.getByRole('textbox', { name: 'Search accounts' }).fill('nobody has this name')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Name or email: no results')).toBeVisible()
  await page.goBack()
  await expect(page.getByText('Name or email: 1')).toBeVisible()
  await find(key)
  await expect(page.getByText('API key: 1')).toBeVisible()
  await page.getByRole('table', { name: 'Results' }).getByRole('link').click()
  const row = page.getByRole('row', { name: /Backend/ })
  await expect(row).toContainText('1,000')
  await soundInBothThemes(page)
  const act = async (name: string) => {
    await row.getByRole('button', { name: 'Actions for Backend' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  await act('Set quota')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Tokens per day' }).fill('9000')
  await dialog.getByRole('button', { name: 'Set quota' }).click()
  await expect(dialog.getByText(/Enter a reason/)).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Launch on Friday, ticket 4711')
  await soundInBothThemes(page)
  await dialog.getByRole('button', { name: 'Set quota' }).click()
  await expect(row).toContainText('9,000')
  await expect(row).toContainText('set by support')

  // The value of the key leaked: its requests, and an end to it.
  await act('Show requests')
  await expect(page.getByRole('row', { name: /vid_thereisnone/ })).toBeVisible()
  await soundInBothThemes(page)
  await page.goBack()
  await act('Disable key')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The value is in a public repository')
  await dialog.getByRole('button', { name: 'Disable key' }).click()
  await expect(row).toContainText('Disabled')
  const status = async () => (await request.get('/v1/video', { headers: { 'x-service-key': key } })).status()
  await expect.poll(status).toBe(401)
  await expect(row).toContainText('The value is in a public repository')
  await act('Enable key')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('It was a key of another service')
  await soundInBothThemes(page)
  await dialog.getByRole('button', { name: 'Enable key' }).click()
  await expect(row).toContainText('Active')
  await expect.poll(status).toBe(200)

  const parts = page.getByRole('navigation', { name: 'Account sections' })
  for (const part of ['Overview', 'Videos', 'Requests', 'Webhooks']) {
    await parts.getByRole('link', { name: part }).click()
    await expect(parts.getByRole('link', { name: part })).toHaveAttribute('aria-current', 'page')
    await soundInBothThemes(page)
  }
  await parts.getByRole('link', { name: 'Billing' }).click()
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
  await soundInBothThemes(page)
  await page.getByRole('navigation', { name: 'Support' }).getByRole('link', { name: 'Accounts' }).click()
  await expect(page.getByRole('table', { name: 'Accounts' })).toBeVisible()
  await page.getByRole('button', { name: 'Tokens refused' }).click()
  await expect(page.getByRole('columnheader', { name: 'Tokens refused' })).toHaveAttribute('aria-sort', 'descending')
  await soundInBothThemes(page)

  await owner.goto('/team/audit-log')
  await expect(owner.getByText('Launch on Friday, ticket 4711').first()).toBeVisible()
  await expect(owner.getByText(email).first()).toBeVisible()
  for (const entry of ['viewed the account', 'Goodwill after the outage', 'Moved by agreement', 'It was a key of another service'])
    await expect(owner.getByText(entry).first()).toBeVisible()

  // Revoked while the page is open: the next request finds nothing.
  await operator('revoke-support', email)
  await page.getByRole('button', { name: 'Storage' }).click()
  await expect(
    page.getByText('No endpoint exists at this URL', { exact: false }).or(page.getByRole('heading', { name: 'Page not found' })),
  ).toBeVisible()
  expect((await page.goto('/support/accounts'))?.status()).toBe(404)
})

test('an operator reads the state and the settings, announces to all dashboards, and grants a role', async ({ browser }) => {
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
  await soundInBothThemes(page)
  const places = page.getByRole('navigation', { name: 'Operator' })
  await places.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('textbox', { name: 'Search settings' }).fill('REELGATE_SECRET')
  await expect(page.getByRole('row', { name: /^REELGATE_SECRET /u })).toContainText(/Set|Unset/)
  await soundInBothThemes(page)

  const message = `Maintenance for ${email}`
  await places.getByRole('link', { name: 'Announcements' }).click()
  await page.getByRole('button', { name: 'New announcement' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Announce' }).click()
  await expect(dialog.getByText('Enter a message.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Message' }).fill(message)
  await soundInBothThemes(page)
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

  await places.getByRole('link', { name: 'Access' }).click()
  await page.getByRole('button', { name: 'Grant a role' }).click()
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email)
  await dialog.getByRole('checkbox', { name: 'I have verified' }).check()
  await dialog.getByLabel('Your password').fill('not the password')
  await dialog.getByRole('button', { name: 'Grant role' }).click()
  await expect(dialog.getByText('Incorrect password.')).toBeVisible()
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await soundInBothThemes(page)
  await dialog.getByRole('button', { name: 'Grant role' }).click()
  await expect(page.getByRole('row', { name: new RegExp(email) })).toContainText('Support')
  await soundInBothThemes(page)
  await places.getByRole('link', { name: 'Log' }).click()
  await expect(page.getByRole('table', { name: 'Changes' })).toContainText('granted a role to a user')
  await soundInBothThemes(page)
})
