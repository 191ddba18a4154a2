import { expect, test } from '@playwright/test'
import { faults } from './accessibility.ts'
import { newUser, visit } from './person.ts'

test('an owner sets thresholds; what cannot be read is refused at its field', async ({ page }) => {
  await newUser(page)
  await visit(page, '/settings/notifications')
  const [quota, storage] = [
    page.getByRole('textbox', { name: 'Daily quota of a key' }),
    page.getByRole('textbox', { name: 'Storage, size' }),
  ]
  const save = page.getByRole('button', { name: 'Save' })
  await quota.fill('80, many')
  await save.click()
  await expect(quota).toHaveAttribute('aria-invalid', 'true')
  expect(await faults(page)).toEqual([])
  await quota.fill('100, 50')
  await storage.fill('500')
  await save.click()
  await expect(page.getByText(/^Saved\. If you/)).toBeVisible()
  await visit(page, '/settings/notifications')
  await expect(quota).toHaveValue('50, 100')
  await expect(storage).toHaveValue('500')
})
