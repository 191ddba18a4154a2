import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import { parseRate } from '../plan/segment-grid.ts'
import { TIME_OFFSET_SEC } from './chunk-arguments.ts'
import { type FragmentedTrack, readInit, shiftFragment } from './fragmented-mp4.ts'
import { initFile } from './segment-files.ts'

/** What ffmpeg's muxer of MPEG-TS adds to all times: twice its delay of 0.7 s. Sound is in MPEG-TS. */
const MPEG_TS_DELAY_SEC = 1.4

/** Returns a segment as it is stored. Throws for an incomplete one. */
export type PrepareFragment = (quality: string, file: Buffer) => Buffer

/** Returns how the segments of a chunk of AV1, which ffmpeg wrote into `folder`, get their times in the video; undefined for H.264. */
export function fragmentsOf(plan: TranscodePlan, { startFrame }: Chunk, folder: string): PrepareFragment | undefined {
  if (!plan.codec) return undefined
  const rate = parseRate(plan.facts.frameRate.text)
  const shifts = new Map<string, number>()
  const shiftOf = (quality: string): number => {
    const { timescale } = readInit(readFileSync(initFile(folder, quality)))
    return Math.round(((startFrame * rate.seconds) / rate.frames + TIME_OFFSET_SEC + MPEG_TS_DELAY_SEC) * timescale)
  }
  return (quality, file) => {
    const shift = shifts.get(quality) ?? shiftOf(quality)
    shifts.set(quality, shift)
    return shiftFragment(file, shift)
  }
}

/** Reads what the initialization section of a rendition states. */
export const readTrack = async (folder: string, quality: string): Promise<FragmentedTrack> =>
  readInit(await readFile(initFile(folder, quality)))
