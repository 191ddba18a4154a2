import { expect, type Page } from '@playwright/test'
import { test } from './closing-test.ts'
import { baseOf, newUser, visit } from './person.ts'
import { giveVideo } from './prepared-video.ts'

async function reencode(page: Page, videoId: string): Promise<void> {
  await visit(page, `/videos/${videoId}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Re-encode' }).click()
}

test('a video is re-encoded from its page, plays meanwhile, and stays as it is when nothing is saved', async ({ page }) => {
  test.slow()
  const { dashboard } = await newUser(page)
  // Encoded by this version: a repetition saves nothing.
  const videoId = await giveVideo(dashboard, 'Harbour', { kind: 'clip', seconds: 6, targetQuality: '240p' }, { base: baseOf() })
  await reencode(page, videoId)
  await expect(page.getByText('We keep the new version only if it is smaller.')).toBeVisible()
  const tab = (name: string) => page.getByRole('navigation', { name: 'Video', exact: true }).getByRole('link', { name }).click()
  await tab('Activity')
  await expect(page.getByText(/^Re-encoding would save too little \(.* instead of .*\)\. The video stays as it is\.$/)).toBeVisible({
    // It begins in a pause of the videos that all other tests upload.
    timeout: 900_000,
  })
  await tab('Overview')
  await expect(page.getByText('Re-encoding starts when no other video is being processed.', { exact: true })).toBeHidden()
})

test('a re-encode is cancelled from the page of its video', async ({ page }) => {
  test.skip(Boolean(process.env.E2E_BASE_URL), 'needs the data folder of the server')
  test.slow()
  const { dashboard } = await newUser(page)
  // Long enough to be running still when the page shows the button; without rate factors, as from a former version, it can be re-encoded.
  const ways = { base: baseOf(), columns: { rate_factors: null } }
  const videoId = await giveVideo(dashboard, 'Lighthouse', { kind: 'long', seconds: 150 }, ways)
  await reencode(page, videoId)
  await page.getByRole('button', { name: 'Cancel re-encoding' }).click()
  await expect(page.getByText('Re-encoding cancelled. The video is unchanged.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cancel re-encoding' })).toBeHidden()
})
