import { spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Quality, qualityOf, scoresOf } from '../server/modules/transcoding/measure-quality.ts'
import type { RatePoint } from './bd-rate.ts'
import { cpuSeconds } from './cpu.ts'

/** Threads of encoders and of the scorer. */
export const THREADS = 2

/** Encodings of the same pictures with several rate factors. */
export interface Curve {
  points: RatePoint[]
  /** CPU seconds of all encodings. */
  cpu: number
}

/** Encodes pictures with each rate factor, and measures bytes and VMAF. */
export async function curveOf(
  pictures: string,
  work: string,
  options: (crf: number) => string[],
  factors: readonly number[],
): Promise<Curve> {
  const points: RatePoint[] = []
  let cpu = 0
  for (const crf of factors) {
    const { point, spent } = await encodingOf(pictures, work, options(crf))
    cpu += spent
    points.push({ bytes: point.bytes, quality: point.quality.mean })
  }
  return { points, cpu }
}

/** Encodes pictures and measures the result. Returns the CPU seconds of encoding too. */
export async function encodingOf(pictures: string, work: string, options: string[]) {
  const [encoded, stream] = [join(work, 'encoded.mp4'), join(work, options.includes('libsvtav1') ? 'encoded.obu' : 'encoded.h264')]
  const before = cpuSeconds()
  await ffmpeg(['-i', pictures, ...options, '-threads', String(THREADS), encoded])
  const spent = cpuSeconds() - before
  // Without the container, whose share of a short clip is large.
  await ffmpeg(['-i', encoded, '-c', 'copy', stream])
  return { point: { bytes: (await stat(stream)).size, quality: await vmaf(encoded, pictures, work) }, spent }
}

/** Returns the VMAF of an encoding, compared with the pictures that it was made from. */
async function vmaf(encoded: string, pictures: string, work: string): Promise<Quality> {
  const log = join(work, 'vmaf.json')
  const graph = `[0:v]setpts=PTS-STARTPTS[a];[1:v]setpts=PTS-STARTPTS[b];[a][b]libvmaf=n_threads=${THREADS}:log_fmt=json:log_path=${log}`
  await ffmpeg(['-i', encoded, '-i', pictures, '-lavfi', graph, '-f', 'null', '-'])
  return qualityOf(scoresOf(JSON.parse(await readFile(log, 'utf8'))))
}

/** Returns the program of the npm package, which has libvmaf. Other benchmarks run without the package. */
const program = () =>
  fileURLToPath(new URL('ffmpeg', import.meta.resolve(`@ffmpeg-binary/${process.platform}-${process.arch}/package.json`)))

/** Runs npm's ffmpeg, which has libvmaf. */
export function ffmpeg(options: string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(program(), ['-y', '-v', 'error', '-nostdin', ...options], { stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', fail)
    child.on('close', (code) => (code === 0 ? done() : fail(new Error(`ffmpeg ended with ${code}`))))
  })
}
