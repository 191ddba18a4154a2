import { expect, type Page } from '@playwright/test'
import { settled, soundInBothThemes } from './accessibility.ts'
import { test } from './closing-test.ts'
import { giveVideos } from './many-videos.ts'
import { newUser, visit } from './person.ts'

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Collections' })
const rows = (page: Page) => page.getByRole('table', { name: 'Videos' }).getByRole('row')

/** Opens the page of one of the listed videos. */
async function openVideo(page: Page, title: string): Promise<void> {
  await visit(page, '/videos')
  await rows(page).filter({ hasText: title }).getByRole('link').click()
  await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible()
}

/** Filters the list by a collection. */
async function chooseCollection(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^Collection: / }).click()
  await settled(page)
  await page.getByRole('option', { name, exact: true }).click()
}

async function manageCollections(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Collection: / }).click()
  await settled(page)
  await page.getByRole('button', { name: 'Manage collections' }).click()
}

async function choose(page: Page, box: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: box }).click()
  await settled(page)
  await page.getByRole('option', { name: option, exact: true }).click()
}

test('a video is added to collections on its page, and the list shows those of one collection', async ({ page }) => {
  const { dashboard } = await newUser(page)
  const { account } = await dashboard.query<{ account: { id: string } }>('account.me')
  await giveVideos(account.id, 3)
  await dashboard.mutate('collection.create', { name: 'Physics' })
  await openVideo(page, 'Episode 002')
  const joined = page.getByRole('list', { name: 'Collections of this video' })
  const dialog = page.getByRole('dialog', { name: 'Collections of “Episode 002”' })
  await page.getByRole('button', { name: 'Change collections' }).click()
  await choose(page, 'Add to a collection', 'Physics')
  await expect(dialog.getByRole('button', { name: 'Remove from Physics' })).toBeVisible()
  const box = page.getByRole('combobox', { name: 'Add to a collection' })
  await box.fill('physics')
  await expect(page.getByText('Already in this collection.')).toBeVisible()
  await box.fill('Spring 2027')
  await page.getByRole('option', { name: 'Create “Spring 2027”' }).click()
  await soundInBothThemes(page)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(dialog).toBeHidden()
  await expect(joined.getByRole('link')).toHaveText(['Physics', 'Spring 2027'])
  await soundInBothThemes(page)

  await joined.getByRole('link', { name: 'Physics' }).click()
  await expect(page).toHaveURL(/\/videos\?collection=col_\w+$/)
  await expect(page.getByRole('button', { name: 'Collection: Physics' })).toBeVisible()
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).last()).toContainText('Episode 002')
  await soundInBothThemes(page)

  await page.goBack()
  await page.getByRole('button', { name: 'Change collections' }).click()
  await dialog.getByRole('button', { name: 'Remove from Physics' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(joined.getByRole('link')).toHaveText(['Spring 2027'])
  await visit(page, '/videos')
  await chooseCollection(page, 'Physics')
  await expect(page.getByRole('heading', { name: 'No videos' })).toBeVisible()
  await chooseCollection(page, 'Spring 2027')
  await expect(rows(page)).toHaveCount(2)
})

test('collections are created, renamed and deleted from the list, and a concurrent rename is shown', async ({ page }) => {
  const { dashboard } = await newUser(page)
  const { account } = await dashboard.query<{ account: { id: string } }>('account.me')
  await giveVideos(account.id, 2)
  await visit(page, '/videos')
  await manageCollections(page)
  const dialog = dialogOf(page)
  const name = dialog.getByRole('textbox', { name: 'Name', exact: true })
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByText('Enter a name.')).toBeVisible()
  for (const one of ['Physics', 'Chemistry']) {
    await name.fill(one)
    await name.press('Enter')
    await expect(dialog.getByRole('listitem').filter({ hasText: one })).toBeVisible()
    await expect(name).toHaveValue('')
  }
  await name.fill('physics')
  await name.press('Enter')
  await expect(dialog.getByText('Another collection in your account has this name.')).toBeVisible()
  await soundInBothThemes(page)

  await dialog.getByRole('button', { name: 'Rename Physics' }).click()
  const [{ id } = { id: '' }] = await dashboard
    .query<{ id: string; name: string }[]>('collection.list')
    .then((all) => all.filter((one) => one.name === 'Physics'))
  await dashboard.mutate('collection.rename', { collectionId: id, name: 'Physics 2', expected: 'Physics' })
  await dialog.getByRole('textbox', { name: 'New name of Physics' }).fill('Physics 1')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const conflict = dialog.getByRole('alert').filter({ hasText: 'This was changed while you were editing' })
  await expect(conflict.locator('dl')).toHaveText(['Current namePhysics 2Your namePhysics 1'])
  await conflict.getByRole('button', { name: 'Overwrite' }).click()
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Physics 1' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await chooseCollection(page, 'Physics 1')
  await expect(page.getByRole('heading', { name: 'No videos' })).toBeVisible()

  await manageCollections(page)
  await dialog.getByRole('button', { name: 'Delete Physics 1' }).click()
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Delete collection' }).click()
  await expect(dialog.getByRole('listitem')).toHaveText(['Chemistry'])
  await page.keyboard.press('Escape')
  // The filter named the deleted collection, and is cleared.
  await expect(rows(page)).toHaveCount(3)
  await expect(page).toHaveURL(/\/videos$/)
})
