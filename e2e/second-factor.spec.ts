import { expect } from '@playwright/test'
import { faults, soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { newEmail, newUser, PASSWORD, pathOf, shownOnce, visit } from './person.ts'
import { setUpHere, setUpRequired } from './second-factor.ts'

test('when an owner requires two-factor sign-in, a member’s open page leads to the set-up and continues after it', async ({
  page,
  browser,
}) => {
  await newUser(page)
  await visit(page, '/team')
  const toggle = page.getByRole('switch', { name: 'Require two-factor sign-in' })
  await expect(toggle).toBeDisabled()
  await page.getByRole('button', { name: 'Invite member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Email' }).fill(newEmail())
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const link = await shownOnce(page)

  const member = await (await browser.newContext({ baseURL: test.info().project.use.baseURL })).newPage()
  await visit(member, pathOf(link))
  await member.getByLabel('Choose a password', { exact: true }).fill(PASSWORD)
  await member.getByRole('button', { name: 'Create account and join' }).click()
  await expect(member.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await visit(member, '/videos')

  await visit(page, '/settings/security')
  await page.getByRole('button', { name: 'Set up' }).click()
  await setUpHere(page)
  await visit(page, '/team')
  await expect(page.getByRole('table', { name: 'Members' })).toContainText('Off')
  await toggle.click()
  await expect(dialog).toContainText('One member has not set it up')
  expect(await faults(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Require' }).click()
  await expect(toggle).toBeChecked()

  // Without a click: the open page received the event.
  await expect(member).toHaveURL(/\/two-factor$/)
  await soundInBothThemes(member)
  await member.goto('/videos')
  await setUpRequired(member)
  await expect(member.getByRole('navigation', { name: 'Main' })).toBeVisible()
})
