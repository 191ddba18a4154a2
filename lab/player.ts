import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { browser } from '../e2e/browser.ts'
import { publishVideo, startService } from '../e2e/service.ts'
import { makeSampleClip } from '../server/modules/transcoding/quality/sample-clip.ts'
import { buildContainer } from '../server/services.ts'
import { startChild } from './child.ts'
import { interleaved } from './load.ts'
import type { Row } from './report.ts'
import { firstFrame, staticSite } from './static-site.ts'

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
  buildContainer({ BASE_URL: 'http://localhost', DATA_DIR: service.folder, LOG_LEVEL: 'error' })
  await makeSampleClip(clip, CLIP)
  const pages = await startChild('static', { root: await staticSite({ root: join(service.folder, 'static'), source: clip }) })
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
