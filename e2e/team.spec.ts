import { type Browser, expect, type Page } from '@playwright/test'
import { settled, soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { generateKey, newEmail, newUser, PASSWORD, pathOf, shownOnce, visit } from './person.ts'

/** Opens a separate browser for another user. */
const openPage = async (browser: Browser) => (await browser.newContext({ baseURL: test.info().project.use.baseURL })).newPage()

async function invite(page: Page, email: string, role: 'Owner' | 'Developer' | 'Viewer'): Promise<string> {
  await visit(page, '/team')
  await page.getByRole('button', { name: 'Invite member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Email' }).fill(email)
  await dialog.getByRole('radio', { name: role }).check()
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const link = await shownOnce(page)
  await dialog.getByRole('button', { name: 'Done' }).click()
  return pathOf(link)
}

/** Returns the status of a procedure's response to this user, without the page's button. */
const status = (page: Page, procedure: string, input: object) =>
  page.evaluate(
    async ([path, body]) =>
      (await fetch(`/api/trpc/${path}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status,
    [procedure, JSON.stringify({ json: input })] as const,
  )

test('a member is invited, joins, sees what their role allows, is promoted, and removed', async ({ page, browser }) => {
  const { email: owner } = await newUser(page)
  await page.goto('/team')
  await expect(page.getByRole('row', { name: new RegExp(owner) })).toContainText('Owner')
  // The only owner can neither be demoted nor leave.
  await expect(page.getByRole('button', { name: /Actions for/ })).toHaveCount(0)

  const email = newEmail()
  const path = await invite(page, email, 'Viewer')
  await expect(page.getByRole('table', { name: 'Invitations' })).toContainText(email)

  const guest = await openPage(browser)
  await guest.goto(path)
  await expect(guest.getByRole('heading', { level: 1 })).toHaveText(`Join ${owner.split('@')[0]}`)
  await soundInBothThemes(guest)
  await guest.getByLabel('Choose a password', { exact: true }).fill(PASSWORD)
  await guest.getByRole('button', { name: 'Create account and join' }).click()
  await expect(guest.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await expect(guest.getByRole('button', { name: /Account/ })).toContainText(owner.split('@')[0] as string)

  // A Viewer is shown no action they may not perform, and the server refuses them too.
  for (const [at, button] of [
    ['/videos', 'Upload video'],
    ['/api-keys', 'Generate New Key'],
    ['/team', 'Invite member'],
  ] as const) {
    await guest.goto(at)
    await expect(guest.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(guest.getByRole('button', { name: button })).toHaveCount(0)
  }
  expect(await status(guest, 'key.create', { name: 'Mine', environment: 'LIVE', scopes: ['video:read'] })).toBe(403)
  expect(await status(guest, 'team.invite', { email: newEmail(), role: 'OWNER' })).toBe(403)
  await soundInBothThemes(guest)

  // The promotion is undone with the notification's button.
  await page.reload()
  await expect(page.getByRole('table', { name: 'Invitations' })).toHaveCount(0)
  const role = page.getByRole('combobox', { name: `Role of ${email}` })
  await role.click()
  await page.getByRole('option', { name: 'Developer' }).click()
  await expect(page.getByText(`${email} is now Developer`)).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(role).toHaveValue('Viewer')
  await role.click()
  // The notification of the first promotion can still be there.
  const sent = page.waitForRequest((request) => request.url().includes('team.changeRole'))
  await page.getByRole('option', { name: 'Developer' }).click()
  expect((await (await sent).response())?.status()).toBe(200)
  await soundInBothThemes(page)
  await guest.goto('/api-keys')
  await expect(guest.getByRole('button', { name: 'Generate New Key' }).first()).toBeVisible()
  await generateKey(guest, 'Made by a developer')

  // After the removal their next page is of another account.
  await page.getByRole('button', { name: `Actions for ${email}` }).click()
  await page.getByRole('menuitem', { name: 'Remove member' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('row', { name: new RegExp(email) })).toHaveCount(0)
  await guest.goto('/api-keys')
  await expect(guest.getByRole('button', { name: /Account/ })).toContainText(email.split('@')[0] as string)
  await expect(guest.getByText('Made by a developer')).toHaveCount(0)

  // All changes are in the log, which can be filtered and downloaded.
  await page.goto('/team/audit-log')
  const log = page.getByRole('table', { name: 'Changes' })
  for (const words of ['invited a member', 'joined the team', 'changed a member’s role', 'created a key', 'removed a member'])
    await expect(log).toContainText(words)
  await soundInBothThemes(page)
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'Changed a member’s role' }).click()
  await expect(log).not.toContainText('invited a member')
  await expect(log.getByRole('row')).toHaveCount(4)
  await page.getByRole('button', { name: 'Export' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('audit-log.csv')
  const chunks = await (await file.createReadStream()).toArray()
  const lines = Buffer.concat(chunks).toString().trim().split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[1]).toContain('team.role')
})

test('an invitation for another user is reported; the invited user accepts it and switches between accounts', async ({ page, browser }) => {
  const { email: owner } = await newUser(page)
  const guest = await openPage(browser)
  const { email } = await newUser(guest)
  const stranger = await openPage(browser)
  const { email: wrong } = await newUser(stranger)
  const path = await invite(page, email, 'Developer')

  await stranger.goto(path)
  await expect(stranger.getByRole('main')).toContainText(`You are signed in as ${wrong}, but this invitation is for ${email}`)
  await soundInBothThemes(stranger)
  await stranger.getByRole('button', { name: /Sign out and sign in as/ }).click()
  await expect(stranger).toHaveURL(/\/sign-in\?from=%2Fjoin/)

  await visit(guest, path)
  await guest.getByRole('button', { name: /^Join/ }).click()
  const menu = guest.getByRole('button', { name: /Account/ })
  await expect(menu).toContainText(owner.split('@')[0] as string)
  const other = await guest.context().newPage()
  await other.goto('/team')
  await expect(other.getByRole('heading', { name: 'Team' })).toBeVisible()
  await menu.click()
  await settled(guest)
  await guest.getByRole('menuitem', { name: new RegExp(email.split('@')[0] as string) }).click()
  await expect(menu).toContainText(email.split('@')[0] as string)
  // The tab that still shows the first account changes nothing in the second.
  await other.getByRole('button', { name: `Actions for ${email}` }).click()
  await other.getByRole('menuitem', { name: 'Leave account' }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
  await expect(other.getByText('You switched accounts in another tab').first()).toBeVisible()

  await guest.goto(path)
  await expect(guest.getByRole('main')).toContainText('used or withdrawn')
  await soundInBothThemes(guest)
})
