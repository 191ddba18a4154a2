import { mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { KEY_FRAME_SEC, SEGMENT_SEC } from '../server/modules/transcoding/encode/segment-files.ts'
import { AV1_RATE_FACTORS, av1Arguments, encoderArguments, RATE_FACTORS } from '../server/modules/transcoding/plan/encoders.ts'
import { bdRate } from './bd-rate.ts'
import { reachTarget } from './quality-target.ts'
import type { Row } from './report.ts'
import { type Curve, curveOf, encodingOf, ffmpeg, THREADS } from './vmaf-curve.ts'

/** Seconds of each clip, and its height at most. */
const SECONDS = 6
const HEIGHT = 720
/** Rate factors of each curve. */
const FACTORS = [20, 24, 28, 32]
const AV1_FACTORS = [27, AV1_RATE_FACTORS.usual, 43, 51]
/** How many times H.264's processor time AV1 may need. */
const MOST_AV1_CPU = 4
/** AV1 may need at most this share of plain ffmpeg's H.264 bytes at equal quality. */
const MOST_AV1_BYTES = 0.5
/** Times of the bytes of the reference that remain at equal quality, and times of its processor time, at most. */
const MOST_BYTES = 0.8
const MOST_CPU = 1.25
/** Points of VMAF from its goal that a clip may be, with a rate factor between the bounds. */
const MOST_POINTS = 1

const FORCED = `expr:gte(t,n_forced*${KEY_FRAME_SEC})`

/** Options of the picture, by the rate factor. */
const ENCODINGS = {
  plain: (crf) => ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', String(crf)],
  /** The options of earlier versions, whose videos can be re-encoded. */
  former: (crf) => [
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', String(crf), '-sc_threshold', '0', '-profile:v', 'high'],
    ...['-g', '600', '-force_key_frames', FORCED],
  ],
  pipeline: (crf) => {
    // A cap that no clip reaches: the curves compare quality modes.
    const { output } = encoderArguments('x264', { maxRates: [1e9], threads: THREADS, keyFrames: FORCED, reorder: true })
    return output.with(output.indexOf('-crf') + 1, String(crf))
  },
} satisfies Record<string, (crf: number) => string[]>

type Encoding = keyof typeof ENCODINGS

/**
 * Compares the bytes that the pipeline's x264 needs for equal VMAF with its former options and with plain ffmpeg, as BD-rate over the clips
 * in the folder REELGATE_CLIPS, using the first seconds of each. npm's ffmpeg computes VMAF.
 */
export async function benchQuality(): Promise<Row[]> {
  const folder = process.env.REELGATE_CLIPS
  if (!folder) throw new Error('Set REELGATE_CLIPS to a folder of video clips; docs/quality.md lists those of the published figures.')
  const work = await mkdtemp(join(tmpdir(), 'reelgate-bench-quality-'))
  try {
    const changes: Record<'plain' | 'former', number[]> = { plain: [], former: [] }
    const reached: { bytes: number; usual: number; points: number }[] = []
    const cpu: Record<Encoding | 'av1', number> = { plain: 0, former: 0, pipeline: 0, av1: 0 }
    const av1Changes: Record<'plain' | 'pipeline', number[]> = { plain: [], pipeline: [] }
    for (const name of (await readdir(folder)).toSorted()) {
      const pictures = join(work, 'source.y4m')
      const filters = `scale=-2:'min(ih,${HEIGHT})',format=yuv420p`
      await ffmpeg(['-i', resolve(folder, name), '-t', String(SECONDS), '-an', '-vf', filters, pictures])
      const rate = await rateOf(pictures)
      const curves = {} as Record<Encoding, Curve>
      for (const encoding of Object.keys(ENCODINGS) as Encoding[]) {
        curves[encoding] = await curveOf(pictures, work, ENCODINGS[encoding], FACTORS)
        cpu[encoding] += curves[encoding].cpu
      }
      for (const other of ['plain', 'former'] as const) changes[other].push(bdRate(curves[other].points, curves.pipeline.points))
      const av1 = await curveOf(pictures, work, (crf) => av1Options(crf, rate), AV1_FACTORS)
      cpu.av1 += av1.cpu
      for (const other of ['plain', 'pipeline'] as const) av1Changes[other].push(bdRate(curves[other].points, av1.points))
      const shown = (['plain', 'former'] as const).map((other) => `${percent(changes[other].at(-1))} against ${other}`).join(', ')
      const points = Object.entries({ ...curves, av1 }).map(
        ([encoding, curve]) =>
          `${encoding} ${curve.points.map(({ bytes, quality }) => `${Math.round(bytes / 1e3)} kB ${quality.toFixed(2)}`).join(', ')}`,
      )
      points.push(`AV1: ${percent(av1Changes.plain.at(-1))} against plain, ${percent(av1Changes.pipeline.at(-1))} against the pipeline`)
      const target = await reachTarget(pictures, work, {
        ffmpeg,
        encode: async (from, crf, keyFrameSec) =>
          (await encodingOf(from, work, ENCODINGS.pipeline(crf).with(-1, `expr:gte(t+0.001,n_forced*${keyFrameSec})`))).point,
      })
      const usual = curves.pipeline.points.find((_, at) => FACTORS[at] === RATE_FACTORS.usual)?.bytes ?? Number.NaN
      const isBound = target.rateFactor === RATE_FACTORS.least || target.rateFactor === RATE_FACTORS.most
      reached.push({ bytes: target.bytes, usual, points: isBound ? 0 : Math.abs(target.over) })
      const { mean: vmafMean, p5 } = target.quality
      points.push(
        `target: rate factor ${target.rateFactor}, ${Math.round(target.bytes / 1e3)} kB, VMAF ${vmafMean.toFixed(2)}, 5th percentile ${p5.toFixed(2)}, ${percent(target.bytes / usual - 1)} against ${RATE_FACTORS.usual}`,
      )
      process.stderr.write(`${basename(name)}: ${shown}\n  ${points.join('\n  ')}\n`)
    }
    return [
      ...(['plain', 'former'] as const).map((other) =>
        row(`bytes at equal VMAF, mean of ${changes[other].length} clips`, other, 1 + mean(changes[other]), 1, MOST_BYTES, 'x'),
      ),
      row(
        `bytes of AV1 at equal VMAF, mean of ${av1Changes.plain.length} clips`,
        'plain',
        1 + mean(av1Changes.plain),
        1,
        MOST_AV1_BYTES,
        'x',
      ),
      row('bytes of AV1 at equal VMAF', 'H.264 of the pipeline', 1 + mean(av1Changes.pipeline), 1, 1, 'x'),
      row('CPU of AV1', 'H.264 of the pipeline', cpu.av1, cpu.pipeline, MOST_AV1_CPU, 's'),
      row(
        `bytes with the quality target, ${reached.length} clips together`,
        `rate factor ${RATE_FACTORS.usual}`,
        reached.reduce((sum, { bytes }) => sum + bytes, 0) / 1e3,
        reached.reduce((sum, { usual }) => sum + usual, 0) / 1e3,
        1,
        'kB',
      ),
      row(
        'points of VMAF from the target, the furthest clip',
        'bound',
        Math.max(...reached.map(({ points }) => points)),
        1,
        MOST_POINTS,
        '',
      ),
      row('CPU of the encoder at equal rate factors', 'former', cpu.pipeline, cpu.former, MOST_CPU, 's'),
    ]
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const row = (what: string, baseline: string, rate: number, ceiling: number, reach: number, unit: string): Row => ({
  ...{ work: what, baseline, rate, ceiling, ratio: rate / ceiling, reach, below: true, unit },
})
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const percent = (share = Number.NaN) => `${(share * 100).toFixed(1)} %`

/** Returns the options of AV1, with key frames where segments begin. */
const av1Options = (crf: number, rate: number) =>
  av1Arguments({ threads: THREADS, group: Math.round(SEGMENT_SEC * rate), rateFactors: [crf] })

/** Returns the frames a second that the head of uncompressed pictures (Y4M) states. */
async function rateOf(pictures: string): Promise<number> {
  const file = await open(pictures)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(128), 0, 128, 0)
    const [, frames, seconds] = / F(\d+):(\d+)/.exec(buffer.toString('latin1', 0, bytesRead)) ?? []
    return Number(frames) / Number(seconds)
  } finally {
    await file.close()
  }
}
