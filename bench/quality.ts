import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encoderArguments } from '../server/modules/transcoding/encoders.ts'
import { KEY_FRAME_SEC } from '../server/modules/transcoding/segment-files.ts'
import { bdRate, type RatePoint } from './bd-rate.ts'
import { cpuSeconds } from './cpu.ts'
import type { Row } from './report.ts'

/** Seconds of each clip, and its height at most. */
const SECONDS = 6
const HEIGHT = 720
/** Rate factors of each curve. */
const FACTORS = [20, 24, 28, 32]
/** Times of the bytes of the reference that remain at equal quality, and times of its processor time, at most. */
const MOST_BYTES = 0.8
const MOST_CPU = 1.25

const FORCED = `expr:gte(t,n_forced*${KEY_FRAME_SEC})`
const THREADS = 2

/** Options of the picture, by the rate factor. */
const ENCODINGS = {
  plain: (crf) => ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', String(crf)],
  /** The pipeline before decision 79. */
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
interface Curve {
  points: RatePoint[]
  /** CPU seconds of all encodings. */
  cpu: number
}

/**
 * Compares the bytes that the pipeline's x264 needs for equal VMAF with its former options and with plain ffmpeg, as BD-rate over the clips in
 * the folder REELGATE_CLIPS, of which it takes the first seconds. VMAF is computed by npm's ffmpeg.
 */
export async function benchQuality(): Promise<Row[]> {
  const folder = process.env.REELGATE_CLIPS
  if (!folder) throw new Error('Set REELGATE_CLIPS to a folder of video clips; docs/quality.md lists those of the published figures.')
  const work = await mkdtemp(join(tmpdir(), 'reelgate-bench-quality-'))
  try {
    const changes: Record<'plain' | 'former', number[]> = { plain: [], former: [] }
    const cpu: Record<Encoding, number> = { plain: 0, former: 0, pipeline: 0 }
    for (const name of (await readdir(folder)).toSorted()) {
      const pictures = join(work, 'source.y4m')
      const filters = `scale=-2:'min(ih,${HEIGHT})',format=yuv420p`
      await ffmpeg(['-i', resolve(folder, name), '-t', String(SECONDS), '-an', '-vf', filters, pictures])
      const curves = {} as Record<Encoding, Curve>
      for (const encoding of Object.keys(ENCODINGS) as Encoding[]) {
        curves[encoding] = await curveOf(pictures, work, ENCODINGS[encoding])
        cpu[encoding] += curves[encoding].cpu
      }
      for (const other of ['plain', 'former'] as const) changes[other].push(bdRate(curves[other].points, curves.pipeline.points))
      const shown = (['plain', 'former'] as const).map((other) => `${percent(changes[other].at(-1))} against ${other}`).join(', ')
      const points = (Object.keys(curves) as Encoding[]).map(
        (encoding) =>
          `${encoding} ${curves[encoding].points.map(({ bytes, quality }) => `${Math.round(bytes / 1e3)} kB ${quality.toFixed(2)}`).join(', ')}`,
      )
      process.stderr.write(`${basename(name)}: ${shown}\n  ${points.join('\n  ')}\n`)
    }
    return [
      ...(['plain', 'former'] as const).map((other) =>
        row(`bytes at equal VMAF, mean of ${changes[other].length} clips`, other, 1 + mean(changes[other]), 1, MOST_BYTES, 'x'),
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

async function curveOf(pictures: string, work: string, options: (crf: number) => string[]): Promise<Curve> {
  const points: RatePoint[] = []
  const [encoded, stream] = [join(work, 'encoded.mp4'), join(work, 'encoded.h264')]
  let cpu = 0
  for (const crf of FACTORS) {
    const before = cpuSeconds()
    await ffmpeg(['-i', pictures, ...options(crf), '-threads', String(THREADS), encoded])
    cpu += cpuSeconds() - before
    // Without the container, whose share of a short clip is large.
    await ffmpeg(['-i', encoded, '-c', 'copy', stream])
    points.push({ bytes: (await stat(stream)).size, quality: await vmaf(encoded, pictures, work) })
  }
  return { points, cpu }
}

/** Returns the mean VMAF of an encoding, compared with the pictures that it was made from. */
async function vmaf(encoded: string, pictures: string, work: string): Promise<number> {
  const log = join(work, 'vmaf.json')
  const graph = `[0:v]setpts=PTS-STARTPTS[a];[1:v]setpts=PTS-STARTPTS[b];[a][b]libvmaf=n_threads=${THREADS}:log_fmt=json:log_path=${log}`
  await ffmpeg(['-i', encoded, '-i', pictures, '-lavfi', graph, '-f', 'null', '-'])
  const { pooled_metrics } = JSON.parse(await readFile(log, 'utf8')) as { pooled_metrics: { vmaf: { mean: number } } }
  return pooled_metrics.vmaf.mean
}

/** Returns the program of the npm package, which has libvmaf. Other benchmarks run without the package. */
const program = () =>
  fileURLToPath(new URL('ffmpeg', import.meta.resolve(`@ffmpeg-binary/${process.platform}-${process.arch}/package.json`)))

function ffmpeg(options: string[]): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(program(), ['-y', '-v', 'error', '-nostdin', ...options], { stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', fail)
    child.on('close', (code) => (code === 0 ? done() : fail(new Error(`ffmpeg ended with ${code}`))))
  })
}
