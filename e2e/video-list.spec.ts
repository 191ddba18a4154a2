import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { settled, soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { giveVideos } from './many-videos.ts'
import { baseOf, newUser, visit } from './person.ts'
import { giveVideo } from './prepared-video.ts'

const rows = (page: Page) => page.getByRole('table', { name: 'Videos' }).getByRole('row')
const bulk = (page: Page) => page.getByRole('region', { name: 'Bulk action' }).getByRole('status')
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()

const centre = (element: Element) => {
  const { left, top, width, height } = element.getBoundingClientRect()
  return { x: left + width / 2, y: top + height / 2 }
}

/** Returns whether nothing covers the middle of an element; runs in the page. */
const isOnTop = (element: Element) => {
  const { left, top, width, height } = element.getBoundingClientRect()
  const found = document.elementFromPoint(left + width / 2, top + height / 2)
  return found !== null && (element.contains(found) || found.contains(element))
}

async function filter(page: Page, name: string): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Status' }).getByText(name, { exact: true }).click()
}

/** Selects every video that matches, also those that are not loaded. */
async function selectAll(page: Page, count: number): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select all loaded videos' }).click()
  await page.getByRole('button', { name: `Select all ${count} that match` }).click()
  await expect(page.getByText(`All ${count} selected`)).toBeVisible()
}

async function chooseCollection(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Collection' }).fill(name)
  await settled(page)
  await page.getByRole('option', { name, exact: true }).click()
}

test('a dialog stays open with what was entered when its row leaves the list', async ({ page }) => {
  const { dashboard } = await newUser(page)
  const { account } = await dashboard.query<{ account: { id: string } }>('account.me')
  await giveVideos(account.id, 1)
  await visit(page, '/videos?search=episode')
  await button(page, /^Actions for Episode/).click()
  await page.getByRole('menuitem', { name: 'Edit…' }).click()
  const description = page.getByRole('dialog').getByRole('textbox', { name: 'Description' })
  await description.fill('Recorded in Oslo')
  const { videos } = await dashboard.query<{ videos: { id: string; title: string }[] }>('video.list', {})
  const [{ id: videoId, title }] = videos as [{ id: string; title: string }]
  await dashboard.mutate('video.edit', { videoId, title: 'Renamed elsewhere', description: '', expected: { title, description: null } })
  await expect(rows(page)).toHaveCount(0)
  await expect(description).toHaveValue('Recorded in Oslo')
})

test('filters combine, survive a reload and the way back, and are saved under a name', async ({ page }) => {
  const { dashboard } = await newUser(page)
  const { account } = await dashboard.query<{ account: { id: string } }>('account.me')
  await giveVideos(account.id, 60)
  const { videos } = await dashboard.query<{ videos: { id: string }[] }>('video.list', { search: 'Episode 020' })
  const expected = { metadata: {}, externalId: null }
  await dashboard.mutate('video.setMetadata', { videoId: videos[0]?.id, metadata: { course: 'physics-1' }, externalId: null, expected })
  await visit(page, '/videos')
  await filter(page, 'Failed')
  await expect(rows(page)).toHaveCount(7)
  await button(page, 'Filters').click()
  const filters = page.getByRole('dialog', { name: 'Filters' })
  await filters.getByRole('textbox', { name: 'Name' }).fill('course')
  await filters.getByRole('button', { name: 'Apply' }).click()
  await expect(filters.getByRole('alert')).toBeVisible()
  await filters.getByRole('textbox', { name: 'Value' }).fill('physics-1')
  await filters.getByRole('button', { name: 'Apply' }).click()
  await expect(rows(page)).toHaveCount(2)
  await expect(page).toHaveURL(/\?filter=FAILED&metadata%5Bcourse%5D=physics-1$/)
  await soundInBothThemes(page)
  await page.reload()
  await expect(rows(page)).toHaveCount(2)
  await rows(page).getByRole('link', { name: 'Episode 020' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Episode 020' })).toBeVisible()
  await page.goBack()
  await expect(rows(page)).toHaveCount(2)

  await button(page, 'Saved filters').click()
  await page.getByRole('button', { name: 'Save current filter…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save current filter' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Failed physics')
  await dialog.getByRole('button', { name: 'Save filter' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Remove course: physics-1' }).click()
  await filter(page, 'All')
  await expect(rows(page)).toHaveCount(51)
  await button(page, 'Saved filters').click()
  await expect(page.getByRole('button', { name: 'Save current filter…' })).toBeVisible()
  await soundInBothThemes(page)
  await page.getByRole('button', { name: 'Failed physics', exact: true }).click()
  await expect(rows(page)).toHaveCount(2)
  await button(page, 'Saved filters: Failed physics').click()
  await page.getByRole('button', { name: 'Delete the filter Failed physics' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(button(page, 'Saved filters: Failed physics')).toBeVisible()
})

test('all that match, also on later pages, are exported, deleted, restored, retried and moved', async ({ page }) => {
  const { dashboard } = await newUser(page)
  const { account } = await dashboard.query<{ account: { id: string } }>('account.me')
  await giveVideos(account.id, 120)
  for (const name of ['Physics', 'Chemistry']) await dashboard.mutate('collection.create', { name })
  await visit(page, '/videos')
  // Shift selects a range.
  await page.getByRole('checkbox', { name: 'Select Episode 002' }).click()
  await expect(page.getByText('1 selected')).toBeVisible()
  await page.getByRole('checkbox', { name: 'Select Episode 005' }).click({ modifiers: ['Shift'] })
  await expect(page.getByText('4 selected')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Select all 120 that match' })).toBeVisible()
  await expect(page.getByText('50 of 120 videos')).toBeVisible()
  await soundInBothThemes(page)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('region', { name: 'Selected videos' })).toHaveCount(0)

  await selectAll(page, 120)
  const saving = page.waitForEvent('download')
  await button(page, 'Export CSV').click()
  const csv = readFileSync(await (await saving).path(), 'utf8')
    .trim()
    .split('\n')
  expect(csv).toHaveLength(121)
  expect(csv[0]).toContain('externalId')

  await button(page, 'Delete…').click()
  const dialog = page.getByRole('dialog', { name: 'Delete 120 videos?' })
  await expect(dialog.getByRole('button', { name: 'Delete 120 videos' })).toBeDisabled()
  await dialog.getByRole('textbox', { name: 'Type 120 to confirm' }).fill('120')
  await dialog.getByRole('button', { name: 'Delete 120 videos' }).click()
  await expect(bulk(page)).toContainText('Deleted 120 videos.')
  await expect(page.getByRole('heading', { name: 'No videos yet' })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(bulk(page)).toContainText('Restored 120 videos.')
  await expect(rows(page)).toHaveCount(51)

  await filter(page, 'Failed')
  await expect(rows(page)).toHaveCount(13)
  await page.getByRole('checkbox', { name: 'Select all loaded videos' }).click()
  await button(page, 'Add to collection…').click()
  await chooseCollection(page, 'Physics')
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await expect(bulk(page)).toContainText('Added 12 videos to “Physics”.')
  await page.getByRole('checkbox', { name: 'Select all loaded videos' }).click()
  await button(page, 'Retry').click()
  await expect(bulk(page)).toContainText('Retried 12 videos.')

  await filter(page, 'All')
  await button(page, /^Collection: /).click()
  await page.getByRole('option', { name: 'Physics', exact: true }).click()
  await expect(rows(page)).toHaveCount(13)
  await page.getByRole('checkbox', { name: 'Select all loaded videos' }).click()
  await button(page, 'Move…').click()
  await chooseCollection(page, 'Chemistry')
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
  await expect(bulk(page)).toContainText('Moved 12 videos to “Chemistry”.')
  await expect(page.getByRole('heading', { name: 'No videos' })).toBeVisible()
})

test('the bar of selected videos covers neither the box that was clicked, nor what gets the focus, nor the end of the list', async ({
  page,
}) => {
  const { dashboard } = await newUser(page)
  const { account } = await dashboard.query<{ account: { id: string } }>('account.me')
  await giveVideos(account.id, 60)
  const bar = page.getByRole('region', { name: 'Selected videos' })
  const box = page.getByRole('checkbox', { name: 'Select Episode 020' })
  for (const viewport of [
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport)
    await visit(page, '/videos')
    // A file that the bar needed would arrive later, and the bar with it, under a pointer that is on its way to the next box.
    await page.route('**/_next/static/**', () => {})
    const height = await page.evaluate(() => document.documentElement.scrollHeight)
    await box.evaluate((element) => window.scrollBy(0, element.getBoundingClientRect().bottom - window.innerHeight + 20))
    const { x, y } = await box.evaluate(centre)
    // As a person clicks: Playwright would scroll the box elsewhere.
    await page.mouse.click(x, y)
    await expect(bar).toBeVisible()
    await expect.poll(() => box.evaluate(isOnTop)).toBe(true)
    await page.unroute('**/_next/static/**')
    // The second click of a double click is on the bar, on “Delete…” in a narrow window.
    await page.mouse.down({ clickCount: 2 })
    await page.mouse.up({ clickCount: 2 })
    await expect(bar.getByRole('status')).toHaveText('1 selected')

    await box.focus()
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab')
      const focused = page.locator(':focus')
      await expect.poll(() => focused.evaluate(isOnTop), `what Tab reaches in step ${step}`).toBe(true)
    }
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
    expect(await page.getByRole('checkbox', { name: 'Select Episode 050' }).evaluate(isOnTop)).toBe(true)
    expect(await page.getByRole('button', { name: 'Show more' }).evaluate(isOnTop)).toBe(true)
    // At the end of the list nothing moves when the bar comes and goes.
    if (viewport.width === 1280) expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height)
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await expect(bar).toHaveCount(0)
  }
})

test('the grid and the low rows are kept, and the menu of a video has the actions of its page', async ({ page }) => {
  const { dashboard } = await newUser(page)
  const videoId = await giveVideo(dashboard, 'Short', { kind: 'clip', seconds: 6, targetQuality: '240p' }, { base: baseOf() })
  const physics = await dashboard.mutate<{ id: string }>('collection.create', { name: 'Physics' })
  await dashboard.mutate('collection.add', { collectionId: physics.id, videoId })
  await visit(page, '/videos')
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Grid').click()
  await page.getByRole('button', { name: 'Compact' }).click()
  await page.reload()
  await expect(page.getByRole('list', { name: 'Videos' }).getByRole('listitem')).toHaveCount(1)
  await expect(page.getByRole('button', { name: 'Compact' })).toHaveAttribute('aria-pressed', 'true')
  await soundInBothThemes(page)

  await page.getByRole('button', { name: 'Actions for Short' }).click()
  await expect(page.getByRole('menuitem')).toHaveText([
    ...['Copy video ID', 'Share…', 'Embed…', 'Edit…', 'Change metadata…', 'Collections…', 'Add captions…', 'Choose a frame…'],
    ...['Replace source…', 'Re-encode', 'End playback…', 'Delete…'],
  ])
  await settled(page)
  await page.getByRole('menuitem', { name: 'Collections…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Collections of “Short”' })
  await dialog.getByRole('button', { name: 'Remove from Physics' }).click()
  await expect(dialog.getByText('Not in any collection.')).toBeVisible()
})
