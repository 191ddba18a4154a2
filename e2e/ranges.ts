import { expect, type Page } from '@playwright/test'

/** Chooses a named range; `label` is that of the picker. */
export async function chooseRange(page: Page, name: string, label = 'Range'): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${label}: `) }).click()
  await page.getByRole('group', { name: 'Named ranges' }).getByRole('button', { name, exact: true }).click()
  await expect(page.getByRole('button', { name: `${label}: ${name} UTC` })).toBeVisible()
}
