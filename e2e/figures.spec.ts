import { expect } from '@playwright/test'
import { visit } from './person.ts'
import { chooseRange } from './ranges.ts'
import { test } from './shared-fixtures.ts'

test('viewers are shown by country, device and video for a range, and exported', async ({ page, fixtures }) => {
  await page.context().addCookies(fixtures.owner.cookieJar())
  await visit(page, '/viewers')
  const countries = page.getByRole('list', { name: 'Countries' })
  await expect(countries.getByRole('listitem').first()).toContainText('Germany')
  const plays = await countries.getByRole('listitem').first().textContent()
  await page.getByText('Minutes', { exact: true }).click()
  await expect(countries.getByRole('listitem').first()).toContainText(/min/)
  await page.getByText('Plays', { exact: true }).first().click()
  await chooseRange(page, 'Last 7 days')
  await expect(page).toHaveURL(/range=7d/)
  await expect(countries.getByRole('listitem').first()).not.toHaveText(plays ?? '')
  const devices = page.getByRole('list', { name: 'Devices' })
  const everywhere = (await devices.textContent()) ?? ''
  await countries.getByRole('link', { name: 'Germany' }).click()
  await expect(page).toHaveURL(/by=country&value=DE/)
  await expect(devices).not.toHaveText(everywhere)
  await expect(devices).toContainText('Computer')
  await page.getByRole('link', { name: 'Show all viewers' }).click()
  await expect(devices).toHaveText(everywhere)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^reelgate-viewers-[\d-]+-to-[\d-]+\.csv$/)
  await page.getByRole('list', { name: 'Top videos' }).getByRole('link').first().click()
  await expect(page.getByRole('button', { name: 'Share' })).toBeVisible()
})

test('charts of a video and of spending compare with the period before, and spending leads to its keys', async ({ page, fixtures }) => {
  await page.context().addCookies(fixtures.owner.cookieJar())
  await visit(page, `/videos/${fixtures.video}/analytics`)
  await chooseRange(page, 'Last 7 days')
  await expect(page).toHaveURL(/range=7d/)
  await expect(page.getByRole('figure', { name: 'Plays' })).toContainText(/vs\. previous 7 days/)
  await visit(page, '/billing')
  await page.getByRole('list', { name: 'Credits by key' }).getByRole('link', { name: 'Production backend' }).click()
  await expect(page).toHaveURL(new RegExp(`/api-keys/${fixtures.key}`))
})
