import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, expect, type Page } from '@playwright/test'
import { browser } from '../../e2e/browser.ts'
import { DEMO_CLIP, makeSampleClip } from '../../server/transcode/sample-clip.ts'
import { Dashboard } from '../demo-dashboard.ts'

/**
 * A viewer in a real browser outlives everything that opens a film: with key URLs of 5 s and sessions of 16 s, they pause past both,
 * seek back and forth, switch quality, and the film goes on to its end.
 */
const KEY_URL_TTL_SEC = 5
/** Twice this is the session's lifetime. */
const FILM_SEC = 8

const began = Date.now()
const say = (line: string) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s  ${line}`)
const folder = mkdtempSync(join(tmpdir(), 'reelgate-soak-'))
const port = await freePort()
const base = `http://localhost:${port}`
let server: ChildProcess | undefined
try {
  server = serve()
  await expect(() => fetch(`${base}/readyz`).then(({ status }) => expect(status).toBe(200))).toPass({ timeout: 60_000 })
  say('the server is up')
  const { playerUrl } = await makeFilm()
  const chrome = await chromium.launch(await browser())
  try {
    await watch(await chrome.newPage(), playerUrl)
  } finally {
    await chrome.close()
  }
  say('passed')
} finally {
  server?.kill('SIGTERM')
  await new Promise((resolve) => (server && server.exitCode === null ? server.on('exit', resolve) : resolve(0)))
  rmSync(folder, { recursive: true, force: true })
}

function serve(): ChildProcess {
  return spawn(process.execPath, ['server/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PORT: String(port),
      BASE_URL: '',
      DATABASE_URL: '',
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'error',
      KEY_URL_TTL_SEC: String(KEY_URL_TTL_SEC),
      PLAYBACK_SESSION_SEC: '1',
    },
  })
}

async function makeFilm(): Promise<{ playerUrl: string }> {
  const dashboard = await Dashboard.signUp(base, 'viewer@example.com', 'a long enough password')
  const file = join(folder, 'film.mp4')
  await makeSampleClip(file, { ...DEMO_CLIP, width: 854, height: 480, seconds: FILM_SEC })
  const details = { filename: 'film.mp4', filetype: 'video/mp4', title: 'Film', targetQuality: '480p' }
  const videoId = await dashboard.upload(new Uint8Array(readFileSync(file)), details)
  const input = { name: 'Soak', environment: 'LIVE', scopes: ['video:read'] }
  const headers = { 'x-service-key': (await dashboard.mutate<{ value: string }>('key.create', input)).value }
  const status = () =>
    fetch(`${base}/v1/video/${videoId}`, { headers }).then(
      async (answer) => ((await answer.json()) as { data: { status: string } }).data.status,
    )
  await expect.poll(status, { timeout: 120_000 }).toBe('COMPLETED')
  say('the film is transcoded')
  const issued = await fetch(`${base}/v1/video/${videoId}/playback-token`, { method: 'POST', headers })
  return ((await issued.json()) as { data: { playerUrl: string } }).data
}

async function watch(page: Page, playerUrl: string): Promise<void> {
  const answers: { url: string; status: number }[] = []
  page.on('response', (response) => answers.push({ url: response.url(), status: response.status() }))
  const times = (part: string, status: number) => answers.filter((one) => one.url.includes(part) && one.status === status).length
  const video = page.locator('video')
  const now = () => video.evaluate((element: HTMLVideoElement) => element.currentTime)
  const does = (what: 'play' | 'pause') => video.evaluate((element: HTMLVideoElement, verb) => element[verb as 'play'](), what)
  const seek = async (seconds: number) => {
    await video.evaluate((element: HTMLVideoElement, to) => {
      element.currentTime = to
    }, seconds)
    await expect.poll(() => video.evaluate((element: HTMLVideoElement) => !element.seeking && element.readyState >= 3)).toBe(true)
  }

  await page.goto(`${playerUrl}&muted`)
  await does('play')
  await expect.poll(now, { timeout: 20_000 }).toBeGreaterThan(1)
  await does('pause')
  const master = answers.find(({ url }) => url.endsWith('/master.m3u8'))?.url ?? ''
  const keyUrl = answers.find(({ url }) => url.includes('/cdn/keys/'))?.url ?? ''
  say('paused; waiting until the key URL and the session have run out')
  const refused = async (url: string) => (await fetch(url)).status
  await expect.poll(() => refused(keyUrl), { timeout: 20_000 }).toBe(401)
  await expect.poll(() => refused(master), { timeout: 30_000 }).toBe(401)
  say('both are refused now')

  await seek(0.2)
  await seek(6)
  await seek(1)
  say('sought back and forth')
  await does('play')
  await page.mouse.move(300, 200)
  await page.locator('#settings-button').click()
  await page.locator('#quality').click()
  await page.getByRole('menuitemradio', { name: '240p' }).click()
  await expect.poll(() => times('/manifest/', 200), { timeout: 20_000 }).toBe(2)
  await expect.poll(() => times('/240p.m3u8', 200), { timeout: 20_000 }).toBeGreaterThan(0)
  expect(times('/240p.m3u8', 401), 'the old session refused the other quality').toBe(1)
  say('switched to 240p under a new session')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.videoHeight), { timeout: 20_000 }).toBe(240)
  await seek(3)
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.paused)).toBe(false)
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.ended), { timeout: 30_000 }).toBe(true)
  await expect(page.locator('#stage')).toHaveAttribute('data-state', 'playing')
  say('played to the end')
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
