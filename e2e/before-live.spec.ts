import { expect, type Page } from '@playwright/test'
import { test } from './closing-test.ts'
import { isLive, live, newUser, PASSWORD } from './person.ts'

/** Opens a page whose scripts arrive when the returned function is called: until then it is HTML alone, as on a slow line. */
async function openBeforeLive(page: Page, address: string): Promise<() => Promise<void>> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/_next\/static\/.*\.js/, async (route) => {
    await released
    await route.continue()
  })
  await page.goto(address, { waitUntil: 'commit' })
  await page.getByRole('main').waitFor()
  return async () => {
    expect(await page.evaluate(isLive)).toBe(false)
    release()
    await live(page)
  }
}

test('what was typed before the sign-in page was live signs in', async ({ page, browser }) => {
  const { email } = await newUser(await (await browser.newContext()).newPage())
  const release = await openBeforeLive(page, '/sign-in')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await release()
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(email)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
})

test('a field that was filled before the page was live stays filled while another one is filled after', async ({ page }) => {
  const release = await openBeforeLive(page, '/sign-up')
  await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.com')
  await release()
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue('ada@example.com')
})
