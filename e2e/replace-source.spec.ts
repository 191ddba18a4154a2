import { expect, test } from '@playwright/test'
import { controlPlayback, now, seekBeyondBuffer, video } from './long-session.ts'
import { visit } from './person.ts'
import { menu } from './player-parts.ts'
import { publishVideo } from './published-video.ts'
import { sourceFile } from './source-file.ts'

/** Longer than a player buffers. */
const FORMER_SEC = 120

test('a replaced source plays for new viewers, and a viewer who is watching stays on the former one', async ({
  page,
  context,
  baseURL,
}) => {
  test.slow()
  const published = await publishVideo(baseURL as string, { kind: 'long', seconds: FORMER_SEC, targetQuality: '480p' })
  const watching = await context.newPage()
  const refused: string[] = []
  const lists = new Set<string>()
  watching.on('request', (request) => lists.add(/(\d+p)\.m3u8$/.exec(request.url())?.[1] ?? ''))
  watching.on('response', (answer) => answer.status() >= 400 && refused.push(`${answer.status()} ${answer.url()}`))
  await watching.goto(`${await published.playerUrl()}&autoplay`)
  await expect(watching.locator('#stage')).toHaveAttribute('data-state', 'playing')
  await expect.poll(() => now(watching)).toBeGreaterThan(1)
  // It would buffer its end while the new source is transcoded.
  await controlPlayback(watching, 'pause')

  await context.addCookies(published.dashboard.cookieJar())
  await visit(page, `/videos/${published.videoId}`)
  const dialog = page.getByRole('dialog', { name: 'Replace source' })
  const begin = async () => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Replace source…' }).click()
  }
  // A long one, which is cancelled before it is transcoded.
  await begin()
  await dialog.locator('input[type=file]').setInputFiles(await sourceFile({ kind: 'long', seconds: FORMER_SEC }))
  await dialog.getByRole('button', { name: 'Replace source' }).click()
  const panel = page.getByRole('region', { name: 'New source' })
  await expect(panel.getByRole('heading', { name: /^New source: / })).toBeVisible()
  await panel.getByRole('button', { name: 'Cancel replacement' }).click()
  await expect(panel).toBeHidden()

  await begin()
  await dialog.getByRole('button', { name: 'Replace source' }).click()
  await expect(dialog.getByText('Choose a file.')).toBeVisible()
  await dialog.locator('input[type=file]').setInputFiles(await sourceFile({ kind: 'clip', seconds: 8, height: 240 }))
  await dialog.getByRole('button', { name: 'Replace source' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('navigation', { name: 'Video', exact: true }).getByRole('link', { name: 'Activity' }).click()
  await expect(page.getByText(/^The replacement of the source by .* was cancelled\.$/)).toBeVisible()
  await expect(page.getByText('as the new source.')).toHaveCount(2)
  await expect(page.getByText('The new source is ready to play')).toBeVisible({ timeout: 180_000 })

  const fresh = await context.newPage()
  await fresh.goto(await published.playerUrl())
  const durationOf = (at: typeof page) => video(at).evaluate(({ duration }: HTMLVideoElement) => duration)
  await expect.poll(() => durationOf(fresh)).toBeCloseTo(8, 0)

  // A rendition that it has not loaded, beyond what it buffered: playlist, key and segments are those of the former source.
  const unseen = ['480p', '360p', '240p'].find((quality) => !lists.has(quality)) ?? ''
  await menu(watching, 'Quality', unseen)
  await seekBeyondBuffer(watching, FORMER_SEC - 6)
  await controlPlayback(watching, 'play')
  await expect.poll(() => now(watching)).toBeGreaterThan(FORMER_SEC - 5)
  expect(await durationOf(watching)).toBeCloseTo(FORMER_SEC, 0)
  expect([...lists]).toContain(unseen)
  expect(refused).toEqual([])
})
