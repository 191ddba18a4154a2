import { expect, type Page } from '@playwright/test'
import { settled } from './accessibility.ts'

/** Opens the player's settings and chooses an entry of one of its menus. */
export async function menu(page: Page, name: 'Quality' | 'Speed' | 'Captions' | 'Audio', entry: string): Promise<void> {
  await openMenu(page, name)
  const item = page.getByRole('menuitemradio', { name: entry, exact: true }).filter({ visible: true })
  await item.click()
  // The menu stays at its position or closes, depending on the previous focus.
  await expect(async () => {
    if (await page.locator('#settings').isVisible()) await page.keyboard.press('Escape')
    await expect(page.locator('#settings')).toBeHidden({ timeout: 500 })
  }).toPass()
}

export async function openMenu(page: Page, name: string): Promise<void> {
  // Shows controls that were hidden.
  await page.mouse.move(200, 100)
  await page.mouse.move(210, 110)
  await page.locator('#settings-button').click()
  await expect(page.locator('#settings')).toBeVisible()
  await settled(page)
  await page.locator('media-settings-menu-item').filter({ hasText: name }).click()
  await settled(page)
}
