import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import { playlistOf } from '../server/modules/transcoding/encode/segment-files.ts'
import { planOf } from '../server/modules/transcoding/plan/plan-video.ts'
import { env } from '../server/platform/config/config.ts'
import { encodeInOnePass, streamsOf } from './single-pass.ts'

/** Returns the milliseconds from the start of the navigation until a frame can be shown, in a browser with an empty cache. */
export async function firstFrame(chrome: Browser, url: string): Promise<number> {
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

/** Builds the smallest player: one page, hls.js from npm, and ffmpeg's output of the same renditions. Returns its folder, `root`. */
export async function staticSite({ root, source }: { root: string; source: string }): Promise<string> {
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
