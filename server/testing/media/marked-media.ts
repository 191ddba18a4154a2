import { readFile } from 'node:fs/promises'
import { ffmpeg } from '../../platform/ffmpeg/ffmpeg.ts'
import type { play } from './chunked.ts'

/** Frames between two marks, and the seconds that a mark's tone lasts. */
const MARK_FRAMES = 100
const TONE_SEC = 0.1
const SAMPLE_RATE = 48_000

/** Options of an encoder that creates marked files quickly. */
export const fastX264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '60']

/** Returns ffmpeg's input options for black frames, every hundredth of which, except the first, is white. */
export const flashes = (seconds: number, { rate = '25', size = '256x144' } = {}): string[] => [
  ...['-f', 'lavfi', '-i'],
  `color=black:size=${size}:rate=${rate}:duration=${seconds},drawbox=c=white:t=fill:enable='gte(n,${MARK_FRAMES})*not(mod(n,${MARK_FRAMES}))'`,
]

/** Returns ffmpeg's input options for silence with a tone at the start of each white frame. `rate` is the frame rate. */
export const beeps = (seconds: number, rate = '25'): string[] => [
  ...['-f', 'lavfi', '-i'],
  `aevalsrc='0.5*gte(t,${MARK_FRAMES}/(${rate}))*lt(mod(t,${MARK_FRAMES}/(${rate})),${TONE_SEC})*sin(2000*PI*t)':sample_rate=${SAMPLE_RATE}:duration=${seconds}`,
]

/** Returns the times of the white frames among what `play` returned, in seconds. */
export function whiteFrames({ frames, times }: Awaited<ReturnType<typeof play>>): number[] {
  const isWhite = (frame: Uint8Array | undefined) => (frame?.[8] ?? 0) > 128
  return times.filter((_, at) => isWhite(frames[at]) && !isWhite(frames[at - 1]))
}

export interface Sound {
  /** Of one channel, -1 to 1. */
  samples: Float32Array
  /** Time of the first sample. */
  startSec: number
  /** Samples a second. */
  rate: number
}

/** Plays one audio channel of a playlist, by default the left one. A rate below the audio's needs less memory for a long one. */
export async function playSound(list: string, rate = SAMPLE_RATE, channel: 0 | 1 = 0): Promise<Sound> {
  const raw = `${list}.${channel}.f32`
  let startSec = Number.NaN
  const onLine = (line: string) => {
    if (!line.startsWith('#')) startSec = Number.isNaN(startSec) ? Number(line.split(',')[2]) / 90_000 : startSec
  }
  const decoded = ['-map', '0:a', '-af', `pan=mono|c0=c${channel}`, '-ar', String(rate), '-f', 'f32le', raw]
  await ffmpeg(['-copyts', '-i', list, ...decoded, '-map', '0:a', '-c', 'copy', '-f', 'framecrc', '-'], { onLine })
  const bytes = await readFile(raw)
  return { samples: new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4), startSec, rate }
}

/** Returns when a tone starts after at least half a second of silence. */
export function onsets({ samples, startSec, rate }: Sound): number[] {
  const found: number[] = []
  let loudAt = Number.NEGATIVE_INFINITY
  samples.forEach((sample, at) => {
    if (Math.abs(sample) < 0.1) return
    if (at - loudAt > rate / 2) found.push(startSec + at / rate)
    loudAt = at
  })
  return found
}
