import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, type Page, test } from '@playwright/test'
import { newUser, upload, visit } from './person.ts'
import { sourceFile } from './source-file.ts'

const done = (page: Page, title: string) => page.getByRole('status').filter({ hasText: `${title}: done` })

/** Runs a command from the page, exactly as shown. */
async function paste(page: Page, holding: string): Promise<string> {
  const command = await page.locator('pre', { hasText: holding }).first().textContent()
  return (await promisify(execFile)('sh', ['-c', `${command} -s`])).stdout
}

test('first steps turn green as they are done, up to the first play, and do not return', async ({ page, context }) => {
  await newUser(page)
  await visit(page, '/')
  await expect(page.getByRole('heading', { name: 'Get your first video playing' })).toBeVisible()
  await upload(page, await sourceFile({ kind: 'clip', seconds: 4, height: 240 }), 'First')
  await expect(page.getByRole('row', { name: /First/ }).getByText('Completed')).toBeVisible({ timeout: 180_000 })
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  await expect(done(page, 'Upload a video')).toBeAttached()

  await page.getByRole('button', { name: 'Generate key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('First key')
  await dialog.getByRole('button', { name: 'Generate key' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(done(page, 'Generate an API key')).toBeAttached()

  // From here on the test does not touch the page, which updates from events.
  expect(JSON.parse(await paste(page, 'curl')).data).toMatchObject([{ title: 'First' }])
  await expect(done(page, 'Make your first API call')).toBeAttached()
  const { playerUrl } = JSON.parse(await paste(page, 'playback-token')).data
  const player = await context.newPage()
  await player.goto(`${playerUrl}&autoplay=1&muted=1`)
  await expect(done(page, 'Play the video')).toBeAttached()
  await player.close()
  await expect(page.getByText('Setup complete')).toBeVisible()
  await expect(page.getByRole('region', { name: 'What next' }).getByRole('link')).toHaveText([
    'Add a webhook',
    'Embed the player',
    'Plan your quota',
  ])
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Quota used today' })).toBeVisible()
  await expect(page.getByText('Setup complete')).toHaveCount(0)
  // Today's numbers equal what was done.
  const issued = page.getByRole('link', { name: /^Tokens issued today/ })
  await expect(issued.getByText('1', { exact: true })).toBeVisible()
})

test('a sample video is there after one click, and plays in the guide', async ({ page }) => {
  await newUser(page)
  await visit(page, '/')
  await page.getByRole('button', { name: 'Use a sample video' }).click()
  await expect(done(page, 'Upload a video')).toBeAttached()
  await page.getByRole('button', { name: 'Play it here' }).click({ timeout: 180_000 })
  const video = page.frameLocator('iframe[title="Player"]').locator('video')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime)).toBeGreaterThan(0.5)
  await expect(done(page, 'Play the video')).toBeAttached()
})

test('first steps can be dismissed permanently', async ({ page }) => {
  await newUser(page)
  await visit(page, '/')
  const stored = page.waitForResponse(/account\.firstStepsDone/)
  await page.getByRole('button', { name: 'Dismiss setup guide' }).click()
  await expect(page.getByText('Get your first video playing')).toHaveCount(0)
  await stored
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  await expect(page.getByText('Get your first video playing')).toHaveCount(0)
})
