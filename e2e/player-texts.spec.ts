import { expect, type Page, test } from '@playwright/test'
import { LANGUAGES, type Language } from '../app/_parts/player/languages.ts'
import { faults } from './accessibility.ts'
import { makeStream } from './made-stream.ts'
import { openMenu } from './player-parts.ts'

const tones = [{ name: 'English', language: 'en', pitch: 440 }]

async function open(page: Page, parameters = ''): Promise<void> {
  const stream = await makeStream({ seconds: 4, tones })
  await page.goto(`${await stream.serve(page)}${parameters}`)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  await expect(page).toHaveTitle('Harbour')
}

/** Answers the exchange with an error. */
async function refuse(page: Page, status: number, code: string): Promise<void> {
  const error = { code, message: 'Refused.', status, requestId: 'req_x' }
  await page.route('**/v1/video/playback/manifest/**', (route) => route.fulfill({ status, json: { success: false, error } }))
}

test.describe('in a browser in Austrian German', () => {
  test.use({ locale: 'de-AT' })
  test('the controls, menus and messages are in German, and no other language is loaded', async ({ page }) => {
    const files: string[] = []
    page.on('request', (request) => files.push(...(/texts-\w+/.exec(request.url()) ?? [])))
    await open(page)
    await expect(page.locator('html')).toHaveAttribute('lang', 'de')
    await expect(page.locator('.bar media-play-button')).toHaveAttribute('aria-label', 'Abspielen')
    await expect(page.locator('media-time-range').getByRole('slider')).toHaveAttribute('aria-valuetext', '0 Sekunden von 4 Sekunden')
    await openMenu(page, 'Geschwindigkeit')
    await expect(page.getByRole('menuitemradio', { name: '1,5x', exact: true })).toBeVisible()
    await expect(page.getByRole('menuitem', { name: 'Geschwindigkeit, zurück zum vorherigen Menü' })).toBeVisible()
    expect(await faults(page)).toEqual([])
    expect(files).toEqual(['texts-de'])
  })

  test('the language of the address has priority', async ({ page }) => {
    await open(page, '&lang=ja-JP')
    await expect(page.locator('html')).toHaveAttribute('lang', 'ja')
    await openMenu(page, '再生速度')
    await expect(page.getByRole('menuitem', { name: '再生速度、前のメニューに戻る' })).toBeVisible()
    expect(await faults(page)).toEqual([])
  })
})

test('without its texts the player says in English that it could not load', async ({ page }) => {
  await page.route('**/player/texts-*', (route) => route.abort())
  await page.goto('/embed/vid_x?token=pt_x')
  await expect(page.getByRole('alert').getByRole('heading', { name: 'Could not load the video' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  expect(await faults(page)).toEqual([])
})

const ERRORS = [
  [401, 'PLAYBACK_TOKEN_EXPIRED'],
  [401, 'PLAYBACK_TOKEN_INVALID'],
  [404, 'VIDEO_NOT_FOUND'],
  [409, 'VIDEO_NOT_READY'],
  [503, 'SERVICE_UNAVAILABLE'],
] as const

for (const language of Object.keys(LANGUAGES) as Language[]) {
  test(`messages in "${language}" fit small frames of another page`, async ({ page, baseURL }) => {
    await page.route(`${baseURL}/other-page`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Other page</title><body style="margin:0"></body>' }),
    )
    await page.goto('/other-page')
    for (const [status, code] of ERRORS) {
      await refuse(page, status, code)
      for (const [width, height] of [
        [200, 150],
        [390, 219],
      ] as const) {
        await page.evaluate(
          ([wide, high, tag]) => {
            document.body.innerHTML = `<iframe title="Player" style="border:0;width:${wide}px;height:${high}px" src="/embed/vid_x?token=pt_x&lang=${tag}"></iframe>`
          },
          [width, height, language] as const,
        )
        const notice = page.frameLocator('iframe').locator('#notice')
        await expect(notice).toBeVisible()
        const { name, over } = await notice.evaluate((part) => ({
          name: part.querySelector('h1')?.textContent,
          over: [part.scrollHeight - part.clientHeight, part.scrollWidth - part.clientWidth],
        }))
        expect(over, `${code} at ${width} × ${height}: ${name}`).toEqual([0, 0])
      }
    }
  })
}
