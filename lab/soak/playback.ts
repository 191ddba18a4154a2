import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { browser } from '../../e2e/browser.ts'
import { playLongSession } from '../../e2e/long-session.ts'
import { makeLongVideo } from '../../e2e/long-video.ts'
import { publishVideo, startService } from '../../e2e/service.ts'

/**
 * A viewer in a real browser outlasts everything that gives access to a video, three times: with key addresses of 5 s and sessions of half
 * a minute, they pause past both, seek beyond the buffer, and switch the rendition, and the video plays to its end. It lasts five minutes,
 * of which a browser buffers one.
 */
const FILM_SEC = 300
const ROUNDS = 3

const began = Date.now()
const print = (line: string) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(5)} s  ${line}`)
const service = await startService({ REELGATE_TEST_KEY_URL_SEC: '5', REELGATE_TEST_SESSION_SEC: '30' })
try {
  print('the server is ready')
  const file = join(service.folder, 'clip.mp4')
  await makeLongVideo(file, { seconds: FILM_SEC })
  const { videoId, dashboard, playerUrl } = await publishVideo(service.base, file, '480p', 600_000)
  await dashboard.mutate('video.putCaptions', {
    videoId,
    language: 'en',
    text: 'WEBVTT\n\n00:00.000 --> 05:00.000\nThe harbour at dawn.',
    expected: null,
  })
  print('transcoded the video')
  const chrome = await chromium.launch(await browser())
  try {
    for (let round = 1; round <= ROUNDS; round++) {
      const page = await chrome.newPage()
      await playLongSession(page, await playerUrl(), FILM_SEC, print)
      await page.close()
    }
  } finally {
    await chrome.close()
  }
  print('passed')
} finally {
  await service.stop()
}
