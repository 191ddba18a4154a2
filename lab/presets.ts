import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { KEY_FRAME_SEC } from '../server/modules/transcoding/encode/segment-files.ts'
import {
  encoderArguments,
  FIRST_PRESET,
  H264_PRESETS,
  type H264Preset,
  SLOWER_PRESET,
} from '../server/modules/transcoding/plan/encoders.ts'
import { bdRate } from './bd-rate.ts'
import type { Row } from './report.ts'
import { type Curve, curveOf, ffmpeg, THREADS } from './vmaf-curve.ts'

/** Seconds of each clip, and its height at most. */
const SECONDS = 4
const HEIGHT = 720
const FACTORS = [21, 25, 30]
/**
 * At equal quality, the slower preset may need at most this share of the first one's bytes, on average, and this many times its processor
 * time.
 */
const MOST_BYTES = 0.95
const MOST_CPU = 2.5

/**
 * Compares x264 presets with the first one, with the pipeline's other options: bytes at equal VMAF as BD-rate, and processor time, over the
 * clips in the folder REELGATE_CLIPS.
 */
export async function benchPresets(): Promise<Row[]> {
  const folder = process.env.REELGATE_CLIPS
  if (!folder) throw new Error('Set REELGATE_CLIPS to a folder of video clips; docs/quality.md lists those of the published figures.')
  const work = await mkdtemp(join(tmpdir(), 'reelgate-bench-presets-'))
  const changes: number[] = []
  const cpu = { first: 0, slower: 0 }
  try {
    for (const name of (await readdir(folder)).toSorted()) {
      const pictures = join(work, 'source.y4m')
      const filters = `scale=-2:'min(ih,${HEIGHT})',format=yuv420p`
      await ffmpeg(['-i', resolve(folder, name), '-t', String(SECONDS), '-an', '-vf', filters, pictures])
      const curves = new Map<H264Preset, Curve>()
      for (const preset of H264_PRESETS) curves.set(preset, await curveOf(pictures, work, optionsOf(preset), FACTORS))
      const [first, slower] = [curves.get(FIRST_PRESET), curves.get(SLOWER_PRESET)] as [Curve, Curve]
      const shown = [...curves].map(
        ([preset, curve]) =>
          `${preset} ${(bdRate(first.points, curve.points) * 100).toFixed(1)} %, ${(curve.cpu / first.cpu).toFixed(2)} times the CPU`,
      )
      process.stderr.write(`${name}\n  ${shown.join('\n  ')}\n`)
      changes.push(bdRate(first.points, slower.points))
      cpu.first += first.cpu
      cpu.slower += slower.cpu
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  const bytes = 1 + changes.reduce((sum, change) => sum + change, 0) / changes.length
  const row = { baseline: FIRST_PRESET, below: true }
  return [
    {
      ...row,
      ...{ work: `bytes of ${SLOWER_PRESET} at equal VMAF, mean of ${changes.length} clips`, rate: bytes, ceiling: 1 },
      ...{ ratio: bytes, reach: MOST_BYTES, unit: 'x' },
    },
    {
      ...row,
      ...{ work: `CPU of ${SLOWER_PRESET}`, rate: cpu.slower, ceiling: cpu.first, ratio: cpu.slower / cpu.first },
      ...{ reach: MOST_CPU, unit: 's' },
    },
  ]
}

function optionsOf(preset: H264Preset): (crf: number) => string[] {
  // A cap that no clip reaches: the curves compare presets.
  const keyFrames = `expr:gte(t,n_forced*${KEY_FRAME_SEC})`
  const { output } = encoderArguments('x264', { maxRates: [1e9], threads: THREADS, keyFrames, reorder: true, preset })
  return (crf) => output.with(output.indexOf('-crf') + 1, String(crf))
}
