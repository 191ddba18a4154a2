import { expect, type Page, test } from '@playwright/test'
import { PASSWORDS, startCourseSite } from './course-site.ts'
import { baseOf, newUser } from './person.ts'
import { sourceFile } from './source-file.ts'

async function signIn(page: Page, site: string, role: 'teacher' | 'student'): Promise<void> {
  await page.goto(`${site}/login`)
  await page.getByRole('textbox', { name: 'Email' }).fill(`${role}@example.com`)
  await page.getByLabel('Password').fill(PASSWORDS[role])
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Lessons' })).toBeVisible()
}

test('a teacher of the course site uploads a lesson, a webhook marks it ready, and a student watches it with a renewed token', async ({
  page,
  browser,
}) => {
  const { dashboard } = await newUser(page)
  const { value: key } = await dashboard.mutate<{ value: string }>('key.create', {
    name: 'Course site',
    environment: 'LIVE',
    scopes: ['video:read', 'video:write', 'viewer:read', 'viewer:write', 'webhook:read'],
  })
  const site = await startCourseSite(baseOf(), key)
  const missing: string[] = []
  page.on('response', (response) => {
    if (response.status() === 404) missing.push(response.url())
  })
  try {
    await page.goto(site.url)
    // Browsers with a window request it; this one does not.
    const icon = await page.locator('link[rel="icon"]').first().getAttribute('href')
    expect((await page.request.get(`${site.url}${icon}`)).headers()['content-type']).toBe('image/svg+xml')
    await expect(page).toHaveURL(/\/login$/)
    await page.getByRole('textbox', { name: 'Email' }).fill('teacher@example.com')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByText('The email or the password is wrong.')).toBeVisible()
    await signIn(page, site.url, 'teacher')
    await page.getByRole('link', { name: 'Add a lesson' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Falling bodies')
    await page.getByLabel('Video').setInputFiles(await sourceFile({ kind: 'clip', seconds: 12 }))
    await page.getByRole('button', { name: 'Add lesson' }).click()
    const lesson = page.getByRole('listitem').filter({ hasText: 'Falling bodies' })
    await expect(lesson.getByText('Ready')).toBeVisible({ timeout: 180_000 })
    await expect(lesson.locator('img')).toHaveJSProperty('naturalHeight', 480)
    expect(missing).toEqual([])
    await page.getByRole('link', { name: 'Add a lesson' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Wrong file')
    await page.getByLabel('Video').setInputFiles({ name: 'notes.mp4', mimeType: 'video/mp4', buffer: Buffer.from('This is no video.') })
    await page.getByRole('button', { name: 'Add lesson' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'not a video' })).toBeVisible()
    await page.goto(site.url)
    await expect(page.getByRole('listitem').filter({ hasText: 'Wrong file' }).getByText('Could not be prepared')).toBeVisible()

    const context = await browser.newContext()
    const student = await context.newPage()
    await signIn(student, site.url, 'student')
    await expect(student.getByRole('link', { name: 'Add a lesson' })).toHaveCount(0)
    // The first token is refused as expired, as one of a page that was left open is.
    let refused = 0
    await student.route('**/v1/video/playback/manifest/**', async (route) => {
      if (refused++ > 0) return route.continue()
      const error = { code: 'PLAYBACK_TOKEN_EXPIRED', message: 'The playback token has expired. Request another one.', status: 401 }
      await route.fulfill({ status: 401, json: { success: false, error }, headers: { 'access-control-allow-origin': '*' } })
    })
    await student.getByRole('link', { name: 'Falling bodies' }).click()
    const player = student.locator('reelgate-player').frameLocator('iframe')
    // Before that, the page may still be the one whose token is refused.
    await expect(player.locator('#stage')).toHaveAttribute('data-state', 'playing')
    expect(refused).toBe(2)
    await player.locator('.centre media-play-button').click()
    const played = player.locator('video')
    const state = () =>
      played.evaluate(({ currentTime, ended, error, paused, readyState }: HTMLVideoElement) => {
        return { currentTime, ended, error: error?.message, paused, readyState }
      })
    await expect.poll(state, { timeout: 60_000 }).toMatchObject({ ended: true })
    await page.getByRole('listitem').filter({ hasText: 'Falling bodies' }).getByRole('link', { name: 'Who watched' }).click()
    await expect(page.getByRole('heading', { name: 'Who watched “Falling bodies”' })).toBeVisible()
    const watched = page.getByRole('row', { name: 'student@example.com' }).getByRole('cell', { name: /^(9\d|100)%$/ })
    await expect
      .poll(async () => {
        await page.reload()
        return watched.count()
      })
      .toBe(1)
    // Another site's page, and a visitor who is not signed in, get neither an upload nor a token.
    const forged = await context.request.post(`${site.url}/api/lessons`, { data: { title: 'x', bytes: 1 } })
    expect(forged.status()).toBe(403)
    const lessonUrl = student.url()
    await student.getByRole('link', { name: 'Physics for everyone' }).click()
    await expect(student.getByText('✓ Completed')).toBeVisible()
    await student.getByRole('link', { name: 'student@example.com' }).click()
    await student.getByRole('button', { name: 'Delete my viewing data' }).click()
    await student.getByText('Receipt of').click()
    await expect(student.getByText('viewer.erasure')).toBeVisible()
    await page.reload()
    await expect(page.getByText('Nobody has watched this lesson yet.')).toBeVisible()
    await student.getByRole('button', { name: 'Sign out' }).click()
    await expect(student).toHaveURL(/\/login$/)
    expect((await context.request.post(`${lessonUrl}/token`)).status()).toBe(401)
    await context.close()
  } finally {
    await site.stop()
  }
})
