import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { KEY_FRAME_SEC } from '../server/modules/transcoding/encode/segment-files.ts'
import type { Quality } from '../server/modules/transcoding/measure-quality.ts'
import { GOALS } from '../server/modules/transcoding/quality/quality-search.ts'
import { searchRateFactor } from '../server/modules/transcoding/quality/rate-factor.ts'

/** Where samples begin in which the rate factor is searched for, and how long they are, in seconds. */
const SAMPLES = [0.5, 2, 3.5, 5]
const SAMPLE_SEC = 0.5

interface Tools {
  ffmpeg: (options: string[]) => Promise<void>
  /** Encodes pictures with a rate factor; returns the bytes of the picture and its quality. */
  encode: (pictures: string, rateFactor: number, keyFrameSec: number) => Promise<{ bytes: number; quality: Quality }>
}

/** What the search for a rate factor yields for a clip. */
export interface Reached {
  rateFactor: number
  bytes: number
  quality: Quality
  /** Points by which the quality of the whole is above the goal, or below it. */
  over: number
}

/** Searches for the rate factor of a clip in samples, as the pipeline does, and encodes all of the clip with it. */
export async function reachTarget(pictures: string, work: string, { ffmpeg, encode }: Tools): Promise<Reached> {
  const samples = join(work, 'samples.y4m')
  const spans = SAMPLES.map((from, at) => `[0:v]trim=${from}:${from + SAMPLE_SEC},setpts=PTS-STARTPTS[s${at}]`)
  const joined = `${SAMPLES.map((_, at) => `[s${at}]`).join('')}concat=n=${SAMPLES.length}`
  const [, rate = ''] = /^YUV4MPEG2 .*F(\d+:\d+)/.exec(await firstLineOf(pictures)) ?? []
  const filters = `${spans.join(';')};${joined},setpts=N/(${rate.replace(':', '/')})/TB`
  await ffmpeg(['-i', pictures, '-filter_complex', filters, '-r', rate.replace(':', '/'), samples])
  const goal = GOALS.standard
  const { rateFactor } = await searchRateFactor({ goal }, async (factor) => (await encode(samples, factor, SAMPLE_SEC)).quality)
  const { bytes, quality } = await encode(pictures, rateFactor, KEY_FRAME_SEC)
  return { rateFactor, bytes, quality, over: Math.min(quality.mean - goal.mean, quality.p5 - goal.p5) }
}

async function firstLineOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(128), 0, 128, 0)
    return buffer.toString('latin1').split('\n')[0] ?? ''
  } finally {
    await file.close()
  }
}
