import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Browser, chromium } from '@playwright/test'
import { browser } from '../e2e/browser.ts'
import { publishVideo, type Service, startService } from '../scripts/soak/service.ts'
import { planOf } from '../server/modules/transcoding/plan-video.ts'
import { makeSampleClip } from '../server/modules/transcoding/sample-clip.ts'
import { playlistOf } from '../server/modules/transcoding/segment-files.ts'
import { env } from '../server/platform/config.ts'
import { buildContainer } from '../server/services.ts'
import { startChild } from './child.ts'
import { interleaved } from './load.ts'
import type { Row } from './report.ts'
import { encodeInOnePass, streamsOf } from './single-pass.ts'

const CLIP = { seconds: 20, width: 1280, height: 720, rate: 30 }
const ROUNDS = 11

/**
 * Measures when the embed player shows its first frame, compared with a static page with hls.js and the same renditions, unencrypted. Cold
 * caches.
 */
export async function benchPlayer(): Promise<Row[]> {
  const chrome = await browser()
    .then((found) => chromium.launch(found))
    .catch(() => undefined)
  if (!chrome) {
    process.stderr.write('Skipped: time to first frame. Install Chromium, or set CHROMIUM_PATH.\n')
    return []
  }
  const service = await startService()
  const print = (line: string) => process.stderr.write(`${line}\n`)
  print('Time to first frame: encoding a clip for each of the two pages…')
  const clip = join(service.folder, 'clip.mp4')
  await makeSampleClip(clip, CLIP)
  const pages = await startChild('static', { root: await staticSite(service, clip) })
  try {
    const { playerUrl } = await publishVideo(service.base, clip, '720p', 300_000)
    const ours = async () => firstFrame(chrome, `${await playerUrl()}&muted=1`)
    const theirs = () => firstFrame(chrome, `${pages.url}/index.html`)
    print(`${ROUNDS} visits to each…`)
    // The first visit finds the servers' caches empty too.
    await ours()
    await theirs()
    const { a, b, ratio } = await interleaved(ROUNDS, ours, theirs)
    const baseline = 'static page with hls.js'
    return [{ work: 'first frame of the embed player', baseline, rate: a, ceiling: b, ratio, reach: 1.3, below: true, unit: 'ms' }]
  } finally {
    await pages.stop()
    await chrome.close()
    await service.stop()
  }
}

/** Returns the milliseconds from the start of the navigation until a frame can be shown, in a browser with an empty cache. */
async function firstFrame(chrome: Browser, url: string): Promise<number> {
  const context = await chrome.newContext({ viewport: { width: 1280, height: 720 } })
  const page = await context.newPage()
  await page.addInitScript(() => {
    const target = window as unknown as { firstFrame: Promise<number> }
    target.firstFrame = new Promise((resolve, reject) => {
      addEventListener('loadeddata', () => resolve(performance.now()), { capture: true, once: true })
      setTimeout(() => reject(new Error(`No frame within one minute at ${location.pathname}.`)), 60_000)
    })
  })
  await page.goto(url, { waitUntil: 'commit' })
  const ms = await page.evaluate(() => (window as unknown as { firstFrame: Promise<number> }).firstFrame)
  await context.close()
  return ms
}

const PAGE = `<!doctype html><meta charset="utf-8"><title>Clip</title><style>html,body,video{margin:0;width:100%;height:100%}</style>
<video muted controls></video><script src="hls.js"></script>
<script>const hls = new Hls(); hls.loadSource('master.m3u8'); hls.attachMedia(document.querySelector('video'))</script>`

/** Builds the smallest player: one page, hls.js from npm, and ffmpeg's output of the same renditions. Returns its folder. */
async function staticSite({ folder }: Service, source: string): Promise<string> {
  buildContainer({ BASE_URL: 'http://localhost', DATA_DIR: folder, LOG_LEVEL: 'error' })
  const root = join(folder, 'static')
  const plan = await planOf(source, '720p', new AbortController().signal)
  await encodeInOnePass({ source, folder: root, plan, threads: env().TRANSCODE_THREADS })
  // ffmpeg names segments without their folder.
  for (const stream of streamsOf(plan)) {
    const playlist = await readFile(playlistOf(root, stream), 'utf8')
    await writeFile(playlistOf(root, stream), playlist.replace(/^\d+\.ts$/gm, `${stream}/$&`))
  }
  await copyFile(createRequire(import.meta.url).resolve('hls.js/dist/hls.min.js'), join(root, 'hls.js'))
  await writeFile(join(root, 'index.html'), PAGE)
  return root
}
