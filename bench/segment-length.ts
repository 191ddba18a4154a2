import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { browser } from '../e2e/browser.ts'
import { makeSampleClip } from '../server/modules/transcoding/sample-clip.ts'
import { SEGMENT_SEC } from '../server/modules/transcoding/segment-files.ts'
import { buildContainer } from '../server/services.ts'
import { startChild } from './child.ts'
import { interleaved } from './load.ts'
import type { Row } from './report.ts'
import { type Connection, firstFrame, staticSite } from './static-site.ts'

const CLIP = { seconds: 60, width: 1280, height: 720, rate: 30 }
/** Apple's recommendation. */
const LONGER_SEC = 6
const CONNECTIONS: Connection[] = [
  { megabits: 1.5, latencyMs: 80 },
  { megabits: 5, latencyMs: 40 },
  { megabits: 25, latencyMs: 20 },
]
const ROUNDS = 5

/** Compares segments of 6 s with the service's in the same page: when hls.js shows the first frame, and the stored bytes. */
export async function benchSegmentLength(): Promise<Row[]> {
  const chrome = await chromium.launch(await browser())
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-bench-segments-'))
  buildContainer({ BASE_URL: 'http://localhost', DATA_DIR: folder, LOG_LEVEL: 'error' })
  const source = join(folder, 'clip.mp4')
  await makeSampleClip(source, CLIP)
  const site = (segmentSec: number) => staticSite({ root: join(folder, String(segmentSec)), source, segmentSec })
  const roots = [await site(LONGER_SEC), await site(SEGMENT_SEC)]
  const [longer, present] = await Promise.all(roots.map((root) => startChild('static', { root })))
  if (!longer || !present) throw new Error('A site was not started.')
  try {
    const rows = [await storedRow(roots)]
    for (const connection of CONNECTIONS) {
      const visit = (url: string) => () => firstFrame(chrome, `${url}/index.html`, connection)
      const { a, b, ratio } = await interleaved(ROUNDS, visit(longer.url), visit(present.url))
      const work = `first frame, segments of ${LONGER_SEC} s, ${connection.megabits} Mbit/s`
      rows.push({ work, baseline: `of ${SEGMENT_SEC} s`, rate: a, ceiling: b, ratio, reach: 0, unit: 'ms' })
    }
    return rows
  } finally {
    await Promise.all([longer.stop(), present.stop(), chrome.close()])
    await rm(folder, { recursive: true })
  }
}

async function storedRow(roots: string[]): Promise<Row> {
  const sizes = await Promise.all(roots.map(megabytes))
  const [rate = 0, ceiling = 0] = sizes
  return {
    work: `stored, segments of ${LONGER_SEC} s`,
    baseline: `of ${SEGMENT_SEC} s`,
    rate,
    ceiling,
    ratio: rate / ceiling,
    reach: 0,
    unit: 'MB',
  }
}

async function megabytes(root: string): Promise<number> {
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(root, name))).size))
  return sizes.reduce((sum, one) => sum + one, 0) / 1e6
}
