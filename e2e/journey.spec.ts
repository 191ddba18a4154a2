import { expect, test } from '@playwright/test'
import './container.ts'
import { ffmpeg } from '../server/platform/ffmpeg/ffmpeg.ts'
import { generateKey, signUp, upload } from './person.ts'
import { sourceFile } from './source-file.ts'

test('the whole path: sign up, upload, key, token, playback, revocation', async ({ page, request, context }) => {
  await signUp(page)

  await upload(page, await sourceFile({ kind: 'clip', seconds: 6 }), 'My first video')
  const row = page.getByRole('row', { name: /My first video/ })
  await expect(row).toBeVisible()
  // Status and progress update without a reload.
  await expect(row.getByText('Completed')).toBeVisible({ timeout: 100_000 })

  const key = await generateKey(page, 'Backend')
  await expect(page.getByRole('row', { name: /Backend/ })).toContainText(key.slice(0, 12))
  await page.reload()
  await expect(page.locator('body')).not.toContainText(key)

  const headers = { 'x-service-key': key }
  const { data: videos } = await (await request.get('/v1/video', { headers })).json()
  expect(videos).toMatchObject([
    { title: 'My first video', status: 'COMPLETED', durationSec: 6, targetQuality: '480p', qualities: ['480p', '360p', '240p'] },
  ])
  const path = `/v1/video/${videos[0].id}`
  expect((await (await request.get(path, { headers })).json()).data).toEqual(videos[0])
  const issued = await request.post(`${path}/playback-token`, { headers })
  expect(issued.headers()['x-ratelimit-remaining']).toBe('999')
  const { token, playerUrl } = (await issued.json()).data

  const player = await context.newPage()
  const segments: { status: number; type: string | undefined; cache: string | undefined; encrypted: boolean }[] = []
  const readings: Promise<void>[] = []
  player.on('response', (response) => {
    if (!response.url().includes('/cdn/segments/')) return
    const read = async () => {
      const bytes = await response.body()
      const { 'content-type': type, 'cache-control': cache } = response.headers()
      // A transport stream has 0x47 every 188 bytes; ciphertext has it there by chance once in 65,536.
      const encrypted = !(bytes[0] === 0x47 && bytes[188] === 0x47)
      segments.push({ status: response.status(), type, cache, encrypted })
    }
    readings.push(read())
  })
  await player.goto(playerUrl)
  const video = player.locator('video')
  // Before that, the player's loading of the source interrupts a call of play().
  await expect(player.locator('#stage')).not.toHaveAttribute('data-state', 'loading')
  await video.evaluate((element: HTMLVideoElement) => {
    element.muted = true
    return element.play()
  })
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.currentTime)).toBeGreaterThan(3)
  expect(await video.evaluate((element: HTMLVideoElement) => element.videoWidth)).toBeGreaterThan(0)
  await Promise.all(readings)
  expect(segments.length).toBeGreaterThan(0)
  for (const segment of segments) {
    expect(segment).toEqual({ status: 200, type: 'video/mp2t', cache: 'public, max-age=31536000, immutable', encrypted: true })
  }
  await player.close()

  // A third-party client plays every second of it.
  const manifest = (await (await request.get(`/v1/video/playback/manifest/${token}`)).json()).data
  expect(await ffmpeg(['-i', manifest.masterPlaylistUrl, '-map', '0:v', '-map', '0:a', '-f', 'null', '-'])).toBe('')

  await page.getByRole('button', { name: 'Actions for Backend' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Type Backend to confirm' }).fill('Backend')
  await dialog.getByRole('button', { name: 'Revoke key' }).click()
  await expect(page.getByRole('row', { name: /Backend/ })).toContainText(/revoked/i)
  const refused = await request.get('/v1/video', { headers })
  expect(refused.status()).toBe(401)
  expect(await refused.json()).toMatchObject({ success: false, error: { code: 'INVALID_API_KEY' } })
})
