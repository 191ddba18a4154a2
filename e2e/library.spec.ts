import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { type Browser, expect, type Page } from '@playwright/test'
import { faults, settled } from './accessibility.ts'
import { test } from './closing-test.ts'
import { giveVideos } from './many-videos.ts'
import { baseOf, newEmail, newUser, PASSWORD, pathOf, shownOnce, upload, visit } from './person.ts'
import { giveVideo } from './prepared-video.ts'
import { sourceFile } from './source-file.ts'

const row = (page: Page, title: string | RegExp) => page.getByRole('row', { name: title })
const SHORT = { kind: 'clip', seconds: 6, targetQuality: '240p' } as const

/** Opens the list of a new user, which has one transcoded video. */
async function listOfOne(page: Page, title: string): Promise<void> {
  const { dashboard } = await newUser(page)
  await giveVideo(dashboard, title, SHORT, { base: baseOf() })
  await visit(page, '/videos')
  await expect(row(page, title).getByText('Completed')).toBeVisible()
}
/** Opens the menu of a row once it can be clicked, and chooses an item. */
async function chooseAction(page: Page, title: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${title}` }).click()
  await settled(page)
  await page.getByRole('menuitem', { name: item }).click()
}
/** Opens the deletion of the video whose page is shown. */
async function deleteHere(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await settled(page)
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
}
async function filter(page: Page, name: string): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Status' }).getByText(name, { exact: true }).click()
}

test('a failed video is retried; a deleted one is undone, and restored from its filter', async ({ page }, info) => {
  const broken = info.outputPath('broken.mkv')
  writeFileSync(broken, Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(50_000)]))
  await newUser(page)
  await upload(page, broken, 'Broken')
  await expect(row(page, 'Broken').getByText('Failed')).toBeVisible()
  await expect(row(page, 'Broken')).toContainText(/damaged|cannot be read/)

  const lists: string[] = []
  page.on('request', (request) => request.url().includes('video.list') && lists.push(request.url()))
  // On a busy machine it has failed again before the row shows another status.
  const retried = page.waitForResponse((response) => response.url().includes('video.retry') && response.ok())
  await chooseAction(page, 'Broken', 'Retry')
  await retried
  await expect(row(page, 'Broken').getByText('Failed')).toBeVisible()

  await chooseAction(page, 'Broken', 'Delete…')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete video' }).click()
  await expect(row(page, 'Broken')).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'Broken')).toBeVisible()
  // A changed row is updated in place: no list is refetched.
  expect(lists).toEqual([])

  await row(page, 'Broken').getByRole('link').click()
  await expect(page.getByRole('status').filter({ hasText: 'Transcoding failed' })).toBeVisible()
  await page.getByRole('button', { name: 'Replace source…' }).click()
  await page.getByRole('dialog', { name: 'Replace source' }).getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  // Its history is in a tab with an address of its own.
  await page.getByRole('navigation', { name: 'Video', exact: true }).getByRole('link', { name: 'Activity' }).press('Enter')
  await expect(page).toHaveURL(/\/videos\/vid_\w+\/activity$/)
  await expect(page.getByText('Retried from the dashboard.')).toBeVisible()
  await page.goBack()
  await deleteHere(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete video' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Deleted' })).toBeVisible()
  // Shown at once; the undo is offered when it is done.
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible()
  await page.goto('/videos')
  await expect(page.getByRole('heading', { name: 'No videos yet' })).toBeVisible()
  await filter(page, 'Deleted')
  await expect(row(page, 'Broken')).toBeVisible()
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(row(page, 'Broken')).toHaveCount(0)
  await filter(page, 'All')
  await expect(row(page, 'Broken')).toBeVisible()
})

test('a video that is deleted on its page, and restored there, plays again', async ({ page }) => {
  await listOfOne(page, 'Short')
  await row(page, 'Short').getByRole('link').click()
  const player = page.frameLocator('iframe[title=Preview]').locator('#stage')
  const play = page.getByRole('button', { name: 'Play Short' })
  await play.click()
  await expect(player).toHaveAttribute('data-state', 'playing')

  await deleteHere(page)
  const dialog = page.getByRole('dialog', { name: 'Delete “Short”?' })
  await expect(dialog.getByText('No plays today')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await deleteHere(page)
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: 'Deleted' })).toBeVisible()

  // The page shows it as restored before the response: the page's requests in that time are answered first.
  await page.route('**/video.restore**', async (route) => {
    await expect(page.getByRole('button', { name: 'Share', exact: true })).toBeVisible()
    await page.evaluate(async () => {
      for (let frame = 0; frame < 30; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
    })
    await route.continue()
  })
  await page.getByRole('button', { name: 'Undo' }).click()
  await play.click()
  await expect(player).toHaveAttribute('data-state', 'playing')
  await expect(page.getByText('Your account has no video with this ID')).toHaveCount(0)
})

test('a list of 120 is searched, sorted and filtered by its address, page after page', async ({ page }) => {
  const { dashboard } = await newUser(page)
  const { account } = await dashboard.query<{ account: { id: string } }>('account.me')
  await giveVideos(account.id, 120)
  await page.goto('/videos')
  const rows = page.getByRole('table', { name: 'Videos' }).getByRole('row')
  await expect(rows).toHaveCount(51)
  await expect(rows.nth(1)).toContainText('Episode 001')
  for (const shown of [101, 121]) {
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect(rows).toHaveCount(shown)
  }
  await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0)
  await expect(rows.last()).toContainText('Episode 120')

  await page.getByRole('button', { name: 'Sort: Newest first' }).click()
  await settled(page)
  await page.getByRole('menuitemradio', { name: 'Longest first' }).click()
  await expect(rows.nth(1)).toContainText('Episode 120')
  await page.getByRole('textbox', { name: 'Search videos' }).fill('episode 11')
  await expect(rows).toHaveCount(11)
  await filter(page, 'Failed')
  await expect(rows).toHaveCount(2)
  await expect(page).toHaveURL(/\?filter=FAILED&sort=longest&search=episode\+11$/)

  // The address holds the whole state: another tab shows the same.
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'Search videos' })).toHaveValue('episode 11')
  await expect(rows).toHaveCount(2)
  await expect(rows.nth(1)).toContainText('Episode 110')
  await filter(page, 'Pending')
  await expect(page.getByText('No results for “episode 11”')).toBeVisible()
  await page.getByRole('textbox', { name: 'Search videos' }).fill('')
  await expect(page.getByText('No videos are waiting to be transcoded.')).toBeVisible()
  await expect(page).toHaveURL(/\?filter=PENDING&sort=longest$/)
})

/** Returns a JPEG, drawn by the browser. */
const jpeg = async (page: Page) =>
  Buffer.from(
    await page.evaluate(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 })
      const paint = canvas.getContext('2d')
      if (paint) Object.assign(paint, { fillStyle: '#c33' }).fillRect(0, 0, 320, 180)
      return canvas.toDataURL('image/jpeg').split(',')[1] as string
    }),
    'base64',
  )

/** Invites a Viewer to this page's account and opens the same page in a separate browser. */
async function viewer(page: Page, browser: Browser, path: string): Promise<Page> {
  await visit(page, '/team')
  await page.getByRole('button', { name: 'Invite member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Email' }).fill(newEmail())
  await dialog.getByRole('radio', { name: 'Viewer' }).check()
  await dialog.getByRole('button', { name: 'Invite' }).click()
  const link = await shownOnce(page)
  const guest = await (await browser.newContext({ baseURL: test.info().project.use.baseURL })).newPage()
  await visit(guest, pathOf(link))
  await guest.getByLabel('Choose a password', { exact: true }).fill(PASSWORD)
  await guest.getByRole('button', { name: 'Create account and join' }).click()
  await expect(guest.getByRole('navigation', { name: 'Main' })).toBeVisible()
  await guest.goto(path)
  return guest
}

test('posters, captions and the title of a video are changed; concurrent renames conflict visibly; a Viewer may only read', async ({
  page,
  browser,
}, info) => {
  await listOfOne(page, 'Opening')
  await row(page, 'Opening').getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1, name: 'Opening' })).toBeVisible()
  const path = new URL(page.url()).pathname

  const posters = page.getByRole('radiogroup', { name: 'Poster' })
  await expect(posters.getByRole('radio')).not.toHaveCount(0)
  await posters.getByRole('radio').last().click()
  await expect(posters.getByRole('radio').last()).toBeChecked()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await (await chooser).setFiles({ name: 'red.jpg', mimeType: 'image/jpeg', buffer: await jpeg(page) })
  await expect(posters.getByRole('radio', { name: 'Uploaded image' })).toBeChecked()

  const captionsFile = (name: string, text: string | Buffer) => {
    writeFileSync(info.outputPath(name), text)
    return info.outputPath(name)
  }
  const vtt = 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n\n00:01.000 --> 00:02.000\nagain\n'
  await page.getByRole('button', { name: 'Add captions' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add captions' })
  const language = dialog.getByRole('combobox', { name: 'Language' })
  const chooseFile = (name: string, text: string | Buffer) => dialog.locator('input[type=file]').setInputFiles(captionsFile(name, text))
  await chooseFile('latin-2.cs.vtt', Buffer.from(vtt.replace('Hello', 'k\xf9\xf2'), 'latin1'))
  await expect(language).toHaveValue('Czech (cs)')
  await dialog.getByRole('button', { name: 'Add captions' }).click()
  await expect(dialog.getByText('This file is not UTF-8 text.')).toBeVisible()
  await chooseFile('english.vtt', vtt)
  await language.fill('English')
  await settled(page)
  await page
    .getByRole('option', { name: /^English/ })
    .first()
    .click()
  await expect(dialog.getByRole('list', { name: 'First captions' }).getByRole('listitem')).toHaveText(['00:00 Hello', '00:01 again'])
  await dialog.getByRole('button', { name: 'Add captions' }).click()
  await expect(page.getByText('en · 2 captions')).toBeVisible()
  await expect(dialog).toBeHidden()

  // The name of the file says which captions it replaces, which must be confirmed.
  await page.getByRole('button', { name: 'Add captions' }).click()
  await chooseFile('lesson.en.vtt', vtt.replace(/\n\n00:01.*/s, '\n'))
  await expect(language).toHaveValue('English (en)')
  await dialog.getByRole('button', { name: 'Replace captions' }).click()
  await expect(dialog.getByText('Select this to replace them, or choose another language.')).toBeVisible()
  expect(await faults(page)).toEqual([])
  await dialog.getByRole('checkbox', { name: 'Replace the captions “English” (2 captions)' }).check()
  await dialog.getByRole('button', { name: 'Replace captions' }).click()
  await expect(page.getByText('en · 1 caption')).toBeVisible()
  const undo = (did: string) => page.getByRole('alert').filter({ hasText: did }).getByRole('button', { name: 'Undo' }).click()
  await undo('Replaced the captions English')
  await expect(page.getByText('en · 2 captions')).toBeVisible()

  await page.getByRole('button', { name: 'Remove English' }).click()
  await expect(page.getByText('No captions yet.')).toBeVisible()
  await undo('Removed the captions English')
  await expect(page.getByText('en · 2 captions')).toBeVisible()
  await page.getByRole('button', { name: 'Remove English' }).click()
  await expect(page.getByText('No captions yet.')).toBeVisible()

  await page.getByRole('button', { name: 'Change metadata' }).click()
  const facts = page.getByRole('dialog', { name: 'Change metadata' })
  await facts.getByRole('textbox', { name: 'External ID' }).fill('lesson-4')
  await facts.getByRole('button', { name: 'Add metadata' }).click()
  await facts.getByRole('textbox', { name: 'Name' }).fill('course[1]')
  await facts.getByRole('textbox', { name: 'Value' }).fill('physics')
  await facts.getByRole('button', { name: 'Save' }).click()
  await expect(facts.getByText('must not contain square brackets')).toBeVisible()
  await facts.getByRole('textbox', { name: 'Name' }).fill('course')
  await facts.getByRole('button', { name: 'Save' }).click()
  await expect(facts).toBeHidden()
  for (const text of ['lesson-4', 'course', 'physics']) await expect(page.getByText(text, { exact: true })).toBeVisible()

  // Two users open the dialog; the first saves; the second sees both titles and decides.
  const other = await page.context().newPage()
  await other.goto(path)
  for (const one of [page, other]) {
    await one.getByRole('button', { name: 'Edit' }).click()
    await expect(one.getByRole('dialog').getByRole('textbox', { name: 'Title' })).toHaveValue('Opening')
  }
  const save = async (one: Page, title: string) => {
    await one.getByRole('dialog').getByRole('textbox', { name: 'Title' }).fill(title)
    await one.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  }
  await save(other, 'Opening night')
  await expect(other.getByRole('heading', { level: 1, name: 'Opening night' })).toBeVisible()
  await save(page, 'Premiere')
  await expect(page.getByRole('alert').filter({ hasText: 'This was changed while you were editing' })).toContainText('Opening night')
  await page.getByRole('button', { name: 'Overwrite' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Premiere' })).toBeVisible()
  await expect(other.getByRole('heading', { level: 1, name: 'Premiere' })).toBeVisible()

  const guest = await viewer(page, browser, path)
  await expect(guest.getByRole('heading', { level: 1, name: 'Premiere' })).toBeVisible()
  for (const name of ['Edit', 'Change metadata', 'More actions', 'Upload', 'Add captions', 'Retry', 'Restore'])
    await expect(guest.getByRole('button', { name, exact: true })).toHaveCount(0)
  for (const radio of await guest.getByRole('radiogroup', { name: 'Poster' }).getByRole('radio').all()) await expect(radio).toBeDisabled()
  await guest.goto('/videos')
  await expect(row(guest, 'Premiere')).toBeVisible()
  await expect(guest.getByRole('button', { name: /Actions for/ })).toHaveCount(0)
})

/** Drags these files over the page and drops them. */
async function drop(page: Page, names: string[], bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([files, base64]) => {
      const made = new DataTransfer()
      const content = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))
      for (const name of files) made.items.add(new File([content], name, { type: name.endsWith('.mp4') ? 'video/mp4' : 'text/plain' }))
      return made
    },
    [names, bytes.toString('base64')] as const,
  )
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: transfer })
  const zone = page.getByRole('dialog').getByLabel('Choose video files')
  await settled(page)
  for (const type of ['dragenter', 'dragover', 'drop']) await zone.dispatchEvent(type, { dataTransfer: transfer })
}

test('files dropped on the page are uploaded together; other or too large files are refused with a message', async ({ page }, info) => {
  const video = readFileSync(await sourceFile({ kind: 'clip', seconds: 1, height: 240 }))
  await newUser(page)
  await visit(page, '/videos')
  await expect(page.getByRole('heading', { name: 'No videos yet' })).toBeVisible()
  await drop(page, ['red.mp4', 'blue.mp4', 'notes.txt'], video)
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByText('“notes.txt” is not a video.')).toBeVisible()
  // A sparse file: only its size is on the disk.
  const huge = info.outputPath('huge.mp4')
  writeFileSync(huge, '')
  truncateSync(huge, 22 * 1024 ** 3)
  await dialog.locator('input[type=file]').setInputFiles(huge)
  await expect(dialog.getByText(/“huge\.mp4” is 23\.6 GB\. The maximum size is 21\.5 GB\./)).toBeVisible()
  await dialog.getByRole('button', { name: 'Upload 2 videos' }).click()
  for (const title of ['red', 'blue']) await expect(row(page, title)).toBeVisible()
  await expect(row(page, 'huge')).toHaveCount(0)
})
