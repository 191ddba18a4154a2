import { expect } from '@playwright/test'
import { test } from './closing-test.ts'
import { newEmail, PASSWORD, visit } from './person.ts'

// Browsers offer less to a page over http, unless its host is their own machine.
test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the port of the server')

test('every action of the Videos page, and copying, work over http at a name of the local network', async ({
  playwright,
  launchOptions,
}) => {
  const browser = await playwright.chromium.launch({
    ...launchOptions,
    args: [...(launchOptions.args ?? []), '--host-resolver-rules=MAP reelgate.lan 127.0.0.1'],
  })
  try {
    const page = await browser.newPage({ baseURL: `http://reelgate.lan:${process.env.REELGATE_E2E_PORT}` })
    const errors: Error[] = []
    page.on('pageerror', (error) => errors.push(error))
    await visit(page, '/sign-up')
    expect(await page.evaluate(() => [isSecureContext, 'randomUUID' in crypto, 'clipboard' in navigator])).toEqual([false, false, false])
    await page.getByRole('textbox', { name: 'Email' }).fill(newEmail())
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()

    // Without a video there are filters only where one is set.
    await visit(page, '/videos?externalId=lesson-0')
    await page.getByRole('button', { name: 'Filters (1)' }).click()
    await page.getByRole('textbox', { name: 'External ID' }).fill('lesson-1')
    await page.getByRole('button', { name: 'Add metadata' }).click()
    await expect(page.getByRole('textbox', { name: 'Value' })).toHaveCount(2)
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect(page).toHaveURL(/externalId=lesson-1/)

    await visit(page, '/docs')
    await page.evaluate(() => {
      const keep = () => {
        document.documentElement.dataset.copied = (document.activeElement as HTMLTextAreaElement).value
      }
      document.addEventListener('copy', keep)
    })
    const copy = page.getByRole('button', { name: /^Copy/ }).first()
    await copy.focus()
    await page.keyboard.press('Enter')
    await expect(page.locator('html')).toHaveAttribute('data-copied', /.+/)
    await expect(copy).toBeFocused()
    expect(errors).toEqual([])
  } finally {
    await browser.close()
  }
})
