import { writeFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { test } from './closing-test.ts'
import { newEmail, newUser, PASSWORD, upload, visit } from './person.ts'

test.describe('invalid input is reported at the field, and nothing is lost', () => {
  test('sign-up rejects an empty form, an invalid e-mail, a short password, and a taken e-mail', async ({ page, browser }) => {
    await page.goto('/sign-up')
    const email = page.getByRole('textbox', { name: 'Email' })
    const password = page.getByLabel('Password', { exact: true })
    const submit = page.getByRole('button', { name: 'Create account' })
    await submit.click()
    await expect(email).toHaveAttribute('aria-invalid', 'true')
    await email.fill('not-an-address')
    await password.fill('short')
    await submit.click()
    await expect(email).toHaveAttribute('aria-invalid', 'true')
    await expect(page.getByText('Use at least 10 characters.')).toBeVisible()

    const first = await browser.newPage()
    const { email: taken } = await newUser(first)
    await email.fill(taken.toUpperCase())
    await password.fill(PASSWORD)
    await submit.click()
    await expect(page.getByText(/already|exists/i)).toBeVisible()
    await expect(email).toHaveValue(taken.toUpperCase())
    await first.close()
  })

  test('sign-in shows the same text for a wrong password and an unknown e-mail', async ({ page, browser }) => {
    const first = await browser.newContext()
    const { email } = await newUser(await first.newPage())
    await first.close()
    const words = []
    for (const [address, secret] of [
      [email, 'wrong password here'],
      [newEmail(), PASSWORD],
    ] as const) {
      await visit(page, '/sign-in')
      await page.getByRole('textbox', { name: 'Email' }).fill(address)
      await page.getByLabel('Password', { exact: true }).fill(secret)
      await page.getByRole('button', { name: 'Sign in' }).click()
      const alert = page.getByRole('alert').filter({ hasText: /\w/ }).first()
      await expect(alert).toBeVisible()
      words.push(await alert.textContent())
    }
    expect(words[0]).toBe(words[1])
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  })

  test('a key requires a name and a scope', async ({ page }) => {
    await newUser(page)
    await visit(page, '/api-keys')
    await page.getByRole('button', { name: 'Generate New Key' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('   ')
    await dialog.getByRole('button', { name: /Generate/ }).click()
    await expect(dialog.getByText('Enter a name for the key')).toBeVisible()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('n'.repeat(81))
    await dialog.getByRole('button', { name: /Generate/ }).click()
    await expect(dialog.getByText('at most 80 characters')).toBeVisible()
  })

  for (const [what, name, bytes] of [
    ['a text file with a video’s name', 'notes.mp4', Buffer.from('This is no video at all. '.repeat(200))],
    ['an empty file', 'empty.mp4', Buffer.alloc(0)],
  ] as const) {
    test(`${what} is refused with a message, and no row appears`, async ({ page }, info) => {
      const path = info.outputPath(name)
      writeFileSync(path, bytes)
      await newUser(page)
      await visit(page, '/videos')
      await page.getByRole('button', { name: 'Upload video' }).first().click()
      await page.getByRole('dialog').locator('input[type=file]').setInputFiles(path)
      const send = page.getByRole('dialog').getByRole('button', { name: /^Upload/ })
      if (await send.isEnabled().catch(() => false)) await send.click()
      await expect(page.getByText(/empty|not a video|no video/i).first()).toBeVisible()
      await page.goto('/videos')
      await expect(page.getByRole('row')).toHaveCount(0)
    })
  }

  test('a video that cannot be decoded ends as Failed, with a reason', async ({ page }, info) => {
    const path = info.outputPath('broken.mp4')
    const header = Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex')
    writeFileSync(path, Buffer.concat([header, Buffer.alloc(50_000, 7)]))
    await newUser(page)
    await upload(page, path, 'Broken')
    const row = page.getByRole('row', { name: /Broken/ })
    await expect(row.getByText('Failed')).toBeVisible()
    await row.getByRole('link', { name: 'Broken' }).click()
    await expect(page.getByText(/incomplete|not a video|cannot|could not/i).first()).toBeVisible()
    await expect(page.getByRole('button', { name: /retry/i })).toBeVisible()
  })

  test('unknown addresses respond with a page, not a stack trace', async ({ page }) => {
    expect((await page.goto('/nowhere/at/all'))?.status()).toBe(404)
    await newUser(page)
    for (const id of ['vid_nobodysvideo', 'x'.repeat(70), '%00', '%ff']) {
      expect((await page.goto(`/videos/${id}`))?.status()).toBe(404)
      await expect(page.getByRole('heading').first()).toBeVisible()
      await expect(page.locator('body')).not.toContainText(/at \w+ \(|node_modules|Application error/)
    }
  })

  test('the player shows what is wrong with its token', async ({ page }) => {
    await page.goto('/embed/vid_nobodysvideo?token=pt_nonsense')
    await expect(page.getByRole('heading').first()).toBeVisible()
    await page.goto('/embed/vid_nobodysvideo')
    await expect(page.getByRole('heading').first()).toBeVisible()
  })

  test('pages of the dashboard redirect a visitor to the sign-in', async ({ page }) => {
    for (const path of ['/videos', '/api-keys', '/']) {
      await page.goto(path)
      await expect(page).toHaveURL(/\/sign-in/)
    }
  })
})
