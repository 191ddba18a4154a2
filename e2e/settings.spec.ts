import { expect } from '@playwright/test'
import { soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { newUser, visit } from './person.ts'

test('an owner sets the picture quality by its name, and in numbers, which are checked', async ({ page }) => {
  await newUser(page)
  await visit(page, '/settings')
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Picture quality' }) })
  const save = panel.getByRole('button', { name: 'Save' })
  await expect(panel.getByRole('radio', { name: 'Standard' })).toBeChecked()
  await expect(save).toBeDisabled()

  await panel.getByRole('radio', { name: 'Custom' }).check()
  await panel.getByRole('textbox', { name: 'Mean' }).fill('94.5')
  await panel.getByRole('textbox', { name: '5th percentile' }).fill('95')
  await save.click()
  await expect(panel.getByText('Must not be above the mean.')).toBeVisible()
  await soundInBothThemes(page)
  await panel.getByRole('textbox', { name: '5th percentile' }).fill('89')
  const saved = page.getByText('Saved. Applies to videos that start processing from now on.')
  await save.click()
  await expect(saved).toBeVisible()
  await visit(page, '/settings')
  await expect(panel.getByRole('textbox', { name: 'Mean' })).toHaveValue('94.5')
  await expect(panel.getByRole('textbox', { name: '5th percentile' })).toHaveValue('89')

  await panel.getByRole('radio', { name: 'Economy' }).check()
  await save.click()
  await expect(saved).toBeVisible()
  await visit(page, '/settings')
  await expect(panel.getByRole('radio', { name: 'Economy' })).toBeChecked()
})

test('an owner sets how long viewers are kept, and what completes a video', async ({ page }) => {
  await newUser(page)
  await visit(page, '/settings')
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Viewers', exact: true }) })
  const [days, percent] = [
    panel.getByRole('textbox', { name: 'Delete viewers after' }),
    panel.getByRole('textbox', { name: 'completed at' }),
  ]
  await expect(days).toHaveValue('400')
  await days.fill('4000')
  await percent.fill('')
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(panel.getByText('Enter a whole number from 1 to 3,650 days.')).toBeVisible()
  await expect(panel.getByText('Enter a whole number from 50 to 100%.')).toBeVisible()
  await soundInBothThemes(page)
  await days.fill('30')
  await percent.fill('80')
  await panel.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible()
  await visit(page, '/settings')
  await expect(days).toHaveValue('30')
  await expect(percent).toHaveValue('80')
})
