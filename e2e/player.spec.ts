import { randomBytes } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { faults } from './accessibility.ts'

/** A test key: its fixture ids produce every state of a token. One for all tests of this file. */
let testKey: Promise<string> | undefined

async function makeTestKey(baseURL: string): Promise<string> {
  const dashboard = await Dashboard.signUp(baseURL, `player-${randomBytes(6).toString('hex')}@example.com`, 'a long enough password')
  const input = { name: 'Player', environment: 'TEST', scopes: ['video:read'] }
  return (await dashboard.mutate<{ value: string }>('key.create', input)).value
}

async function tokenFor(baseURL = '', videoId = 'vid_test_completed'): Promise<string> {
  testKey ??= makeTestKey(baseURL)
  const headers = { 'x-service-key': await testKey }
  const response = await fetch(`${baseURL}/v1/video/${videoId}/playback-token`, { method: 'POST', headers })
  const { data } = (await response.json()) as { data: { token: string } }
  return data.token
}

async function notice(page: Page, title: string): Promise<void> {
  await expect(page.getByRole('alert').getByRole('heading', { name: title })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Play' })).toHaveCount(0)
  expect(await faults(page)).toEqual([])
}

for (const [videoId, title, code] of [
  ['vid_test_token_expired', 'Access to this video has expired', 'PLAYBACK_TOKEN_EXPIRED'],
  ['vid_test_token_invalid', 'This video cannot be opened', 'PLAYBACK_TOKEN_INVALID'],
  ['vid_test_deleted', 'This video is not available', 'VIDEO_NOT_FOUND'],
] as const) {
  test(`shows "${title}" for ${code}`, { tag: code === 'VIDEO_NOT_FOUND' ? [] : '@deep' }, async ({ page, baseURL }) => {
    await page.goto(`/embed/${videoId}?token=${await tokenFor(baseURL, videoId)}`)
    await notice(page, title)
    // For developers: the code to search for, and the request to quote.
    await expect(page.getByRole('alert')).toContainText(new RegExp(`${code} · req_`))
  })
}

test("does not play with another video's token", async ({ page, baseURL }) => {
  await page.goto(`/embed/vid_test_deleted?token=${await tokenFor(baseURL, 'vid_test_completed')}`)
  await notice(page, 'This video cannot be opened')
})

test('refers to the previous page when there is no token', { tag: '@deep' }, async ({ page }) => {
  await page.goto('/embed/vid_test_completed')
  await notice(page, 'This video cannot be opened')
})

test('retries when the service is back', async ({ page, baseURL }) => {
  await page.route('**/v1/video/playback/manifest/**', (route) => route.abort())
  await page.goto(`/embed/vid_test_deleted?token=${await tokenFor(baseURL, 'vid_test_deleted')}`)
  await notice(page, 'Could not load the video')
  await page.unroute('**/v1/video/playback/manifest/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await notice(page, 'This video is not available')
})

test('plays the media of a fixture, whose segments are encrypted', async ({ page, baseURL }) => {
  const keys: number[] = []
  page.on('response', (response) => response.url().includes('/cdn/keys/') && keys.push(response.status()))
  await page.goto(`/embed/vid_test_completed?token=${await tokenFor(baseURL)}&muted=1&autoplay=1`)
  const video = page.locator('video')
  await expect.poll(() => video.evaluate(({ currentTime }: HTMLVideoElement) => currentTime)).toBeGreaterThan(1)
  expect(await video.evaluate(({ duration }: HTMLVideoElement) => duration)).toBeCloseTo(20, 0)
  expect(
    await video.evaluate((element) => (element as unknown as { webkitAudioDecodedByteCount: number }).webkitAudioDecodedByteCount),
  ).toBeGreaterThan(0)
  expect(new Set(keys)).toEqual(new Set([200]))
  expect(await faults(page)).toEqual([])
})

test('stops when a fresh manifest fails too', async ({ page, baseURL }) => {
  const exchanges: string[] = []
  page.on('request', (request) => request.url().includes('/manifest/') && exchanges.push(request.url()))
  await page.route('**/cdn/hls/**/master.m3u8*', (route) => route.fulfill({ status: 404 }))
  await page.goto(`/embed/vid_test_completed?token=${await tokenFor(baseURL, 'vid_test_completed')}`)
  await notice(page, 'The video service is not responding')
  expect(exchanges).toHaveLength(2)
})

test('does not leak the token', async ({ page, baseURL }) => {
  const token = await tokenFor(baseURL, 'vid_test_completed')
  const referers: (string | undefined)[] = []
  page.on('request', (request) => referers.push(request.headers().referer))
  const response = await page.goto(`/embed/vid_test_completed?token=${token}&muted=1&autoplay=1`)
  expect(await response?.text()).not.toContain(token)
  expect(response?.headers()).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' })
  expect(response?.headers()['content-security-policy']).toContain("script-src 'self';")
  expect(response?.headers()['content-security-policy']).toContain('frame-ancestors *')
  expect(response?.headers()['x-frame-options']).toBeUndefined()
  const time = () => page.locator('video').evaluate(({ currentTime }: HTMLVideoElement) => currentTime)
  await expect.poll(time).toBeGreaterThan(0)
  expect(referers.filter(Boolean)).toEqual([])
})
