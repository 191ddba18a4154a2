import { randomBytes } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { test } from './closing-test.ts'
import { live, newEmail, PASSWORD, visit } from './person.ts'
import { letterTo } from './stand-ins.ts'

// A running server sends e-mail and uses a provider elsewhere.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the settings of the server')

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Returns the link to one of the service's pages in the newest e-mail to an address, once it has arrived. */
async function linkMailedTo(email: string, page: string): Promise<string> {
  const address = new RegExp(`https?://\\S+(${page}#[0-9A-Za-z]{32})`)
  const link = () => address.exec(letterTo(email, address) ?? '')?.[1]
  await expect.poll(link).toBeDefined()
  return link() as string
}

/** Signs up where e-mail is configured: the e-mail first, the password by the link in the message. */
async function signUpByMail(page: Page, email = newEmail()): Promise<string> {
  await visit(page, '/sign-up')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('button', { name: /link/i }).click()
  await visit(page, await linkMailedTo(email, '/sign-up/finish'))
  await page.getByLabel('Choose a password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  return email
}

test.describe('with e-mail configured', () => {
  test.use({ baseURL: process.env.REELGATE_E2E_MAIL_URL })

  test('an invitation is mailed and never shown, and its link opens the account to the invited user', { tag: '@deep' }, async ({
    page,
    browser,
  }) => {
    const owner = await signUpByMail(page)
    await visit(page, '/team')
    await page.getByRole('button', { name: 'Invite member' }).click()
    const dialog = page.getByRole('dialog')
    const email = newEmail()
    await dialog.getByRole('textbox', { name: 'Email' }).fill(email)
    await dialog.getByRole('button', { name: 'Invite' }).click()
    await expect(dialog).toContainText(`We sent an invitation to ${email}`)
    await expect(dialog.getByRole('textbox')).toHaveCount(0)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect(page.getByRole('table', { name: 'Invitations' })).toContainText('Sent')
    const guest = await (await browser.newContext({ baseURL: process.env.REELGATE_E2E_MAIL_URL })).newPage()
    await visit(guest, await linkMailedTo(email, '/join'))
    await expect(guest.getByRole('heading', { level: 1 })).toHaveText(`Join ${owner.split('@')[0]}`)
    await guest.getByLabel('Choose a password', { exact: true }).fill(PASSWORD)
    await guest.getByRole('button', { name: 'Create account and join' }).click()
    await expect(guest.getByRole('navigation', { name: 'Main' })).toBeVisible()
  })

  test('a forgotten password is replaced by e-mail, and a session elsewhere is ended from the list', async ({ page, browser }) => {
    const email = await signUpByMail(page)
    const other = await (await browser.newContext({ baseURL: process.env.REELGATE_E2E_MAIL_URL })).newPage()
    await visit(other, '/sign-in')
    await other.getByRole('link', { name: 'Forgot your password?' }).click()
    await expect(other.getByRole('heading', { name: 'Reset your password' })).toBeVisible()
    await live(other)
    await other.getByRole('textbox', { name: 'Email' }).fill(email)
    await other.getByRole('button', { name: 'Email me a link' }).click()
    await expect(other.getByText('we sent a link to it')).toBeVisible()
    const link = await linkMailedTo(email, '/reset-password')

    const changed = `${PASSWORD}, changed`
    await visit(other, link)
    await other.getByLabel('New password').fill('short')
    await other.getByRole('button', { name: 'Change password' }).click()
    await expect(other.getByText(/at least/i).last()).toBeVisible()
    await other.getByLabel('New password').fill(changed)
    await other.getByRole('button', { name: 'Change password' }).click()
    await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    // The open page of the user, who is signed out, leaves without an action; the old password is refused.
    await page.waitForURL('**/sign-in**')
    await visit(page, '/videos')
    await signIn(page, email, PASSWORD)
    await expect(page.getByText('Incorrect email or password')).toBeVisible()
    await signIn(page, email, changed)
    await expect(page.getByRole('heading', { name: 'Videos', exact: true })).toBeVisible()
    // The link works once.
    await visit(other, '/sign-in')
    await visit(other, link)
    await other.getByLabel('New password').fill(`${changed} again`)
    await other.getByRole('button', { name: 'Change password' }).click()
    await expect(other.getByRole('alert').filter({ hasText: /link/i })).toBeVisible()

    await visit(other, '/sign-in?from=/settings')
    await signIn(other, email, changed)
    await expect(other.getByRole('heading', { name: 'Settings' })).toBeVisible()
    await visit(page, '/settings/security')
    const out = page.getByRole('button', { name: /^Sign out Chrome/ })
    await expect(out).toHaveCount(1)
    await out.click()
    await expect(out).toHaveCount(0)
    // The test does not touch the other page.
    await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  })
})

test('a user signs in with a provider, gets an account, and is recognized the next time', async ({ page, browser }) => {
  const login = `ada-${randomBytes(5).toString('hex')}`
  const through = async (page: Page) => {
    await visit(page, '/sign-in?from=/settings/security')
    await page.getByRole('button', { name: 'Continue with Studio ID' }).click()
    await page.getByPlaceholder('Enter any login').fill(login)
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
    await live(page)
  }
  await through(page)
  await page.getByRole('button', { name: /Account/ }).click()
  await expect(page.getByText(`${login}@example.com`).first()).toBeVisible()
  await page.keyboard.press('Escape')
  await visit(page, '/settings')
  await page.getByRole('textbox', { name: 'Account name' }).fill('Ada’s studio')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Account renamed.')).toBeVisible()

  const elsewhere = await (await browser.newContext()).newPage()
  await through(elsewhere)
  await expect(elsewhere.getByRole('button', { name: /Account/ })).toContainText('Ada’s studio')
})
