import { readFileSync } from 'node:fs'
import { expect } from '@playwright/test'
import { settled, soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { baseOf, newUser, visit } from './person.ts'
import { giveVideo } from './prepared-video.ts'

test('an owner permits downloads, and downloads an MP4 and the original of a video', async ({ page }) => {
  const { dashboard } = await newUser(page)
  const id = await giveVideo(dashboard, 'Lesson 4', { kind: 'clip', seconds: 6, targetQuality: '240p' }, { base: baseOf() })
  const openMenu = async () => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await settled(page)
  }
  await visit(page, `/videos/${id}`)
  await openMenu()
  await expect(page.getByRole('menuitem', { name: 'Replace source…' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Original file' })).toHaveCount(0)

  await visit(page, '/settings')
  await page.getByRole('switch', { name: 'Allow downloads' }).click()
  await expect(page.getByRole('switch', { name: 'Allow downloads' })).toBeChecked()
  await expect(page.getByRole('switch', { name: 'Allow downloads' })).toBeEnabled()
  await soundInBothThemes(page)

  await visit(page, `/videos/${id}`)
  await openMenu()
  const saving = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'MP4, 240p' }).click()
  await expect(page.getByText('Preparing “Lesson 4 (240p).mp4”…')).toBeVisible()
  const saved = await saving
  expect(saved.suggestedFilename()).toBe('Lesson 4 (240p).mp4')
  expect(readFileSync(await saved.path()).toString('latin1', 4, 8)).toBe('ftyp')

  await openMenu()
  const original = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Original file' }).click()
  expect((await original).suggestedFilename()).toMatch(/\.\w+$/)
  await page.reload()
  await expect(page.getByText('Downloads', { exact: true }).locator('..')).toHaveText('Downloads2')
})
