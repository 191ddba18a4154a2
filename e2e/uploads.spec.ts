import { copyFileSync, writeFileSync } from 'node:fs'
import { expect, type Page, type Route, test } from '@playwright/test'
import { newUser, visit } from './person.ts'
import { sourceFile } from './source-file.ts'

/** Opens the upload dialog with these files chosen. */
async function choose(page: Page, files: string[]) {
  await visit(page, '/videos')
  await page.getByRole('button', { name: 'Upload video' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('input[type=file]').setInputFiles(files)
  return dialog
}

/** Blocks upload requests until `release`. */
async function hold(page: Page) {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/api/upload/*', async (route: Route) => {
    if (route.request().method() === 'PATCH') await promise
    await route.continue()
  })
  return resolve
}

test('of five files each has its name, three are sent at once, the others wait; one is paused and resumed', async ({ page }, info) => {
  const original = await sourceFile({ kind: 'clip', seconds: 1, height: 240 })
  const files = [1, 2, 3, 4, 5].map((n) => info.outputPath(`video_${n}.mp4`))
  for (const file of files) copyFileSync(original, file)
  const notes = info.outputPath('notes.txt')
  writeFileSync(notes, 'No video at all.')
  await newUser(page)
  const begun: string[] = []
  page.on('request', (request) => request.method() === 'POST' && request.url().endsWith('/api/upload') && begun.push(request.url()))
  const release = await hold(page)

  const dialog = await choose(page, [...files, notes])
  await expect(dialog.getByText('“notes.txt” is not a video.')).toBeVisible()
  await expect(dialog.getByRole('textbox', { name: 'Title of video_3.mp4' })).toHaveValue('video 3')
  const first = dialog.getByRole('textbox', { name: 'Title of video_1.mp4' })
  await first.fill('')
  await dialog.getByRole('button', { name: 'Upload 5 videos' }).click()
  await expect(dialog.getByText('Enter a title.')).toBeVisible()
  await first.fill('Opening')
  await dialog.getByRole('button', { name: 'Upload 5 videos' }).click()

  const tray = page.getByRole('region', { name: 'Uploads' })
  await expect(tray.getByText('Uploading 3 videos, 2 waiting')).toBeVisible()
  await expect(tray.getByText(', waiting')).toHaveCount(2)
  await expect.poll(() => begun.length).toBe(3)
  const row = tray.getByRole('listitem').filter({ hasText: 'Opening' })
  await row.getByRole('button', { name: 'Pause' }).click()
  await expect(row.getByText(', paused')).toBeVisible()
  await expect(tray.getByText('Uploading 3 videos, 1 waiting')).toBeVisible()
  await expect.poll(() => begun.length).toBe(4)

  release()
  for (const n of [2, 3, 4, 5]) await expect(page.getByRole('row', { name: `video ${n}` })).toBeVisible()
  await expect(page.getByRole('row', { name: 'Opening' })).toHaveCount(0)
  await row.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByRole('row', { name: 'Opening' })).toBeVisible()
})

test('an upload that a reload interrupted resumes where it stopped, under its title', async ({ page }, info) => {
  const file = info.outputPath('long.mkv')
  // Two chunks. The transcoder refuses the bytes after the header.
  writeFileSync(file, Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(12_000_000)]))
  await newUser(page)
  page.on('dialog', (asked) => void asked.accept())
  const offsets: string[] = []
  await page.route('**/api/upload/*', (route) => {
    if (route.request().method() !== 'PATCH') return route.continue()
    offsets.push(route.request().headers()['upload-offset'] ?? '')
    return offsets.length === 2 ? undefined : route.continue()
  })
  const dialog = await choose(page, [file])
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Cut off')
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect.poll(() => offsets.length).toBe(2)

  await page.reload()
  const again = await choose(page, [file])
  await expect(again.getByText('Upload in progress. Resumes where it stopped.')).toBeVisible()
  await expect(again.getByRole('textbox', { name: 'Title' })).toHaveValue('Cut off')
  await again.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('row', { name: 'Cut off' })).toBeVisible()
  expect(offsets).toEqual(['0', '8388608', '8388608'])
})

test('an upload shows its speed and time left, also after a disconnection', async ({ page, context }, info) => {
  const file = info.outputPath('slow.mkv')
  writeFileSync(file, Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(12_000_000)]))
  await newUser(page)
  const line = await context.newCDPSession(page)
  const speed = (bytes: number) =>
    line.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytes })
  await speed(500_000)
  const dialog = await choose(page, [file])
  await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
  const tray = page.getByRole('region', { name: 'Uploads' })
  const said = tray.getByText(/ of 12\.0 MB, [\d.]+ (?:kB|MB)\/s, \d+ (?:s|min) left$/)
  await expect(said).toBeVisible()

  // Bytes that the server had not stored are sent again: the count falls, and the speed is never negative.
  const shown = page.evaluateHandle(() => {
    const words: string[] = []
    new MutationObserver(() => words.push(document.querySelector('[aria-label=Uploads]')?.textContent ?? '')).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    })
    return words
  })
  await line.send('Network.emulateNetworkConditions', { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 })
  await line.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 })
  await expect(said).toBeVisible()
  await speed(-1)
  await expect(page.getByRole('row', { name: 'slow' })).toBeVisible()
  for (const words of await (await shown).jsonValue()) expect(words).not.toMatch(/-\d|NaN|Infinity/)
})
