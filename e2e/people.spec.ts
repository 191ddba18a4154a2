import { expect, type Page } from '@playwright/test'
import { faults } from './accessibility.ts'
import { test } from './closing-test.ts'
import { controlPlayback, now } from './long-session.ts'
import { visit } from './person.ts'
import { publishVideo } from './published-video.ts'

/** An ID that no address may hold in clear. */
const ID = 'pupil 42/ä'
const inClear = (address: string) => decodeURIComponent(address).includes('pupil')

const stopped = (page: Page) => page.getByRole('alert').getByRole('heading', { name: 'Playback was stopped' })

test('the owner finds a viewer, sees what they watch, reads why another session was refused, ends theirs, and erases the viewer', async ({
  page,
  browser,
  baseURL,
}) => {
  const { dashboard, videoId, token } = await publishVideo(baseURL ?? '', { kind: 'long', seconds: 150 })
  await page.context().addCookies(dashboard.cookieJar())
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  await visit(page, '/viewers/people')
  await expect(page.getByText('No viewers yet')).toBeVisible()
  await expect(page.getByText('"viewer":{"id":"student-42"}')).toBeVisible()

  const policy = { viewer: { id: ID }, maxSessions: 1 }
  const player = await (await browser.newContext()).newPage()
  await player.goto(`${(await token(policy)).playerUrl}&muted`)
  await controlPlayback(player, 'play')
  await expect.poll(() => now(player)).toBeGreaterThan(3)
  // A report is sent with it.
  await controlPlayback(player, 'pause')
  const second = await (await browser.newContext()).newPage()
  await second.goto((await token(policy)).playerUrl)
  await expect(second.getByRole('alert')).toBeVisible()

  await visit(page, '/viewers/people')
  const row = page.getByRole('table', { name: 'People' }).getByRole('row', { name: ID })
  await expect(row).toContainText('1 now')
  const field = page.getByRole('textbox', { name: 'Find a viewer by their whole ID' })
  await field.fill('pupil')
  await field.press('Enter')
  await expect(page.getByText('No viewer has this ID.')).toBeVisible()
  await field.fill(ID)
  await field.press('Enter')
  await expect(page.getByRole('heading', { name: ID })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Sessions' }).getByRole('link', { name: 'Harbour' })).toBeVisible()
  await expect(page.getByRole('img', { name: /^watched \d% – 0:00–0:0\d/ })).toBeVisible()
  expect(await faults(page)).toEqual([])

  await visit(page, `/videos/${videoId}/analytics`)
  const watchers = page.getByRole('table', { name: 'Who watched' })
  await expect(watchers.getByRole('img', { name: /^watched \d% – 0:00–0:0\d/ })).toBeVisible()
  await visit(page, '/requests?outcome=403')
  await page.getByRole('link', { name: /manifest/ }).click()
  await expect(page.getByText(`Refused: 2nd session of ${ID}, limit 1.`)).toBeVisible()
  await page.getByRole('link', { name: 'Open viewer' }).click()

  await page.getByRole('button', { name: 'End sessions…' }).click()
  const dialog = page.getByRole('dialog', { name: `End the session of “${ID}”?` })
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await dialog.getByRole('button', { name: 'End sessions' }).click()
  await expect(page.getByText('0 sessions now')).toBeVisible()
  await controlPlayback(player, 'play')
  await controlPlayback(player, 'pause')
  await expect(stopped(player)).toBeVisible()

  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('textbox', { name: /^Search videos and keys/ }).fill(ID)
  await expect(page.getByRole('button', { name: ID })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Erase…' }).click()
  const erasing = page.getByRole('dialog', { name: `Erase “${ID}”?` })
  await erasing.getByRole('textbox').fill('pupil 42')
  await erasing.getByRole('button', { name: 'Erase viewer' }).click()
  await expect(erasing.getByText('Type the ID exactly as shown above.')).toBeVisible()
  await erasing.getByRole('textbox').fill(ID)
  await erasing.getByRole('button', { name: 'Erase viewer' }).click()
  await expect(page.getByRole('heading', { name: 'Viewer erased' })).toBeVisible()
  expect(await faults(page)).toEqual([])
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download receipt' }).click()
  expect((await download).suggestedFilename()).toMatch(/^reelgate-receipt-vwr_[\w-]+\.json$/)
  await page.getByRole('link', { name: 'All people' }).click()
  await expect(page.getByText('No viewers yet')).toBeVisible()
  await visit(page, '/requests?outcome=403')
  await expect(page.getByRole('link', { name: /manifest/ })).toHaveCount(0)
  expect(addresses.filter(inClear)).toEqual([])
})
