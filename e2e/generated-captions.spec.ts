import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { Dashboard } from '../scripts/demo-dashboard.ts'
import { ffmpeg } from '../server/platform/ffmpeg/ffmpeg.ts'
import { faults, settled, soundInBothThemes } from './accessibility.ts'
import { video } from './long-session.ts'
import { newEmail, newKey, newUser, PASSWORD, visit } from './person.ts'

/** In the sample, “country” is said at 4.95 s. The video begins two seconds before it. */
const LATE_SEC = 2
const COUNTRY_SEC = 4.95 + LATE_SEC
const sample = join(import.meta.dirname, '../server/platform/speech/sample.ogg')

/** A server with OpenAI's API, which knows when each word of the sample is said, from the beginning of the chunk that it gets. */
const SAID = [
  ...[
    ['Ask', 3.3],
    ['not', 3.8],
    ['what', 4.2],
    ['your', 4.7],
    ['country', 4.95],
    ['can', 5.5],
    ['do', 5.8],
    ['for', 6.1],
    ['you.', 6.3],
  ],
] as const

test('captions are requested by keyboard, shown with their progress, and play at the time of the speech', async ({
  page,
  baseURL,
}, info) => {
  let asked = 0
  const engine = createServer(async (req, res) => {
    let bytes = 0
    for await (const part of req) bytes += (part as Buffer).length
    asked++
    // The chunk begins where somebody speaks, which is in the first half second of the sample.
    const words = SAID.map(([word, start]) => ({ word, start, end: start + 0.3 })).filter(({ end }) => end < bytes / 32_000)
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify({ language: 'english', text: words.map(({ word }) => word).join(' '), words }))
  }).listen(Number(process.env.REELGATE_E2E_SPEECH_PORT), '127.0.0.1')
  await once(engine, 'listening')
  try {
    const path = info.outputPath('said.mp4')
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=10:duration=14', '-itsoffset', String(LATE_SEC), '-i', sample]
    await ffmpeg([...picture, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', path])
    const dashboard = await Dashboard.signUp(baseURL ?? '', newEmail(), PASSWORD)
    const videoId = await dashboard.upload(new Uint8Array(await readFile(path)), { title: 'Inaugural address', filename: 'said.mp4' })
    await page.context().addCookies(dashboard.cookieJar())
    await page.goto(`/videos/${videoId}`)
    const generate = page.getByRole('button', { name: 'Generate captions' })
    await expect(generate).toBeVisible({ timeout: 120_000 })
    await settled(page)
    await generate.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Generate captions' })
    await expect(dialog.getByRole('combobox', { name: 'Spoken language' })).toBeFocused()
    expect(await faults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Generate captions' }).press('Enter')
    await expect(dialog).toBeHidden()
    await expect(page.getByText(/^en · \d+ captions? · Generated$/)).toBeVisible({ timeout: 120_000 })
    expect(asked).toBeGreaterThan(0)
    await soundInBothThemes(page)

    const headers = { 'x-service-key': await newKey(dashboard, 'Site') }
    const response = await fetch(`${baseURL}/v1/video/${videoId}/playback-token`, { method: 'POST', headers })
    const { playerUrl } = ((await response.json()) as { data: { playerUrl: string } }).data
    await page.goto(`${playerUrl}&autoplay=1&muted=1&captions=en`)
    const found = await expect
      .poll(
        () =>
          video(page).evaluate((element: HTMLVideoElement) => {
            const track = [...element.textTracks].find(({ language }) => language === 'en')
            return [...(track?.cues ?? [])]
              .filter((cue) => (cue as VTTCue).text.includes('country'))
              .map(({ startTime, endTime }) => `${track?.label} ${track?.mode} ${startTime} ${endTime}`)
          }),
        { timeout: 60_000 },
      )
      .toHaveLength(1)
      .then(() =>
        video(page).evaluate((element: HTMLVideoElement) => {
          const track = [...element.textTracks].find(({ language }) => language === 'en')
          const cue = [...(track?.cues ?? [])].find((one) => (one as VTTCue).text.includes('country'))
          return { label: track?.label, mode: track?.mode, startTime: cue?.startTime ?? 0, endTime: cue?.endTime ?? 0 }
        }),
      )
    expect(found).toMatchObject({ label: 'English (auto-generated)', mode: 'showing' })
    expect(found.startTime).toBeLessThan(COUNTRY_SEC)
    expect(found.endTime).toBeGreaterThan(COUNTRY_SEC)
  } finally {
    engine.closeAllConnections()
    engine.close()
  }
})

/** Returns the metadata of a tus upload. */
const metadataOf = (header: string) =>
  Object.fromEntries(
    header.split(',').map((pair) => {
      const [name = '', value = ''] = pair.split(' ')
      return [name, Buffer.from(value, 'base64').toString()]
    }),
  )

test('an upload and an import choose captions, and leave the choice to the account unless it is changed', async ({ page }, info) => {
  const { dashboard } = await newUser(page)
  await dashboard.mutate('account.setAutoCaptions', { autoCaptions: true, expected: false })
  const sent: Record<string, string>[] = []
  page.on('request', (request) => {
    const header = request.headers()['upload-metadata']
    if (header) sent.push(metadataOf(header))
  })
  const dialog = page.getByRole('dialog', { name: 'Upload videos' })
  const field = dialog.getByRole('combobox', { name: 'Generate captions' })
  await visit(page, '/videos')
  for (const name of ['unchanged', 'german']) {
    const file = info.outputPath(`${name}.mkv`)
    writeFileSync(file, Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(500)]))
    await page.getByRole('button', { name: 'Upload video' }).first().click()
    await dialog.locator('input[type=file]').setInputFiles([file])
    await expect(field).toHaveValue('Yes, detect the language')
    if (name === 'german') {
      await field.fill('Germ')
      await field.press('ArrowDown')
      await field.press('Enter')
      await expect(field).toHaveValue('German (de)')
      expect(await faults(page)).toEqual([])
    }
    await dialog.getByRole('button', { name: 'Upload', exact: true }).click()
    await expect(page.getByRole('row', { name })).toBeVisible()
  }
  expect(sent.map(({ title, captions }) => [title, captions])).toEqual([
    ['unchanged', undefined],
    ['german', 'de'],
  ])

  await page.getByRole('button', { name: 'Upload video' }).first().click()
  await dialog.getByText('From a URL').click()
  await dialog.getByRole('textbox', { name: 'URL' }).fill('https://10.0.0.1/clip.mp4')
  await field.click()
  await page.getByRole('option', { name: 'No', exact: true }).click()
  const request = page.waitForRequest((one) => one.url().includes('/api/trpc/upload.import'))
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  expect((await request).postData()).toContain('"captions":"none"')
})
