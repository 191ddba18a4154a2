import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { viewingReport } from '#server/modules/analytics/viewing/viewing-schema'

it('the guide’s report of a player is one that the service accepts', () => {
  const program = readFileSync(join(process.cwd(), 'docs/snippets/report-viewing.js'), 'utf8')
  const sent: string[][] = []
  const browser = { sendBeacon: (...given: string[]) => sent.push(given) }
  const names = ['masterPlaylistUrl', 'session', 'serviceUrl', 'videoId', 'navigator']
  const playlist = 'https://video.example.com/cdn/hls/vid_1/PERMIT/master.m3u8'
  new Function(...names, program)(playlist, 'a1'.repeat(16), 'https://video.example.com', 'vid_1', browser)
  const [[url, body = ''] = []] = sent
  expect(url).toBe('https://video.example.com/embed/vid_1/beacon')
  expect(viewingReport.parse(JSON.parse(body))).toMatchObject({ permit: 'PERMIT', watchMs: 0, reached: [0] })
})
