import { join } from 'node:path'
import { env } from '../../../platform/config/config.ts'
import { ffmpeg, guardedInput } from '../../../platform/ffmpeg/ffmpeg.ts'
import { av1Program } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { measureQuality, type Quality } from '../measure-quality.ts'
import { av1Arguments, encoderArguments, FIRST_PRESET, type H264Preset } from '../plan/encoders.ts'
import type { RenditionSpec } from '../plan/ladder.ts'
import { encodedRenditions, type TranscodePlan } from '../plan/plan.ts'
import { keptShape, padded, steadyFilters } from '../probe/picture-shape.ts'
import { tagColors } from '../probe/source-colors.ts'
import { displayOf, goalOf, rateFactorsFor } from './quality-search.ts'
import { type FoundRateFactor, factorBetween, type QualityGoal, type QualitySearch, searchRateFactor } from './rate-factor.ts'

interface Input {
  source: string
  /** An empty folder for the samples. */
  folder: string
  plan: TranscodePlan & { search: QualitySearch }
  signal: AbortSignal
}

/** Lossless frames, in the size of a rendition. */
interface Samples {
  path: string
  pictures: number
}

/** Encodes samples of a source and measures them. Returns the rate factor with which each encoded rendition reaches the plan's quality. */
export async function findRateFactors(input: Input): Promise<FoundRateFactor[]> {
  const { plan } = input
  const [top] = plan.renditions as [RenditionSpec]
  const originals = await takeSamples(input, top)
  const encoded = encodedRenditions(plan)
  const specs = encoded.filter(({ quality }) => plan.search.searched.includes(quality))
  const searched = await searchRenditions(input, originals, specs)
  const [highest, lowest = highest] = searched
  if (!highest || !lowest) throw new Error('no rendition was searched')
  return encoded.map((spec) => {
    const own = searched.find(({ quality }) => quality === spec.quality)
    if (own) return { quality: own.quality, rateFactor: own.rateFactor, measured: own.measured }
    return { quality: spec.quality, rateFactor: factorBetween(sideOf(spec), highest, lowest, rateFactorsFor(plan)), measured: null }
  })
}

/**
 * Scores one in every so many frames of the samples, if at least so many then are. Every second or fourth would have the same place between
 * the frames that x264 predicts from both sides: their mean was up to 3 points too high.
 */
const SCORED = { every: 3, least: 15 }

/** Every span starts with a keyframe, as chunks do; otherwise, its first frames would be predicted from another part's. */
const framesOf = ({ spans }: QualitySearch) => spans[0]?.frames ?? 1

const sideOf = ({ width, height }: RenditionSpec) => Math.min(width, height)

/** Searches for several renditions, concurrently with more than one thread, because a measurement alone does not keep two cores busy. */
async function searchRenditions(input: Input, originals: Samples, specs: readonly RenditionSpec[]) {
  const failed = new AbortController()
  const signal = AbortSignal.any([input.signal, failed.signal])
  const search = async (spec: RenditionSpec) => {
    const { rateFactor, quality } = await searchRendition({ ...input, signal }, originals, spec)
    return { quality: spec.quality, rateFactor, measured: quality, side: sideOf(spec) }
  }
  const searches: ReturnType<typeof search>[] = []
  try {
    for (const spec of specs) {
      searches.push(search(spec))
      if (env().TRANSCODE_THREADS === 1) await searches.at(-1)
    }
    return await Promise.all(searches)
  } catch (error) {
    // The others end first, because the samples' folder is removed afterwards.
    failed.abort()
    await Promise.allSettled(searches)
    throw error
  }
}

async function searchRendition(input: Input, originals: Samples, spec: RenditionSpec) {
  const { folder, plan, signal } = input
  const { facts, search } = plan
  const display = displayOf(plan)
  const threads = env().TRANSCODE_THREADS
  const measure = (path: string): Promise<Quality> => {
    const rate = facts.frameRate.text
    return measureQuality({
      source: { path: originals.path },
      encoded: { path },
      pictures: originals.pictures,
      rate,
      display,
      every: originals.pictures >= SCORED.every * SCORED.least ? SCORED.every : 1,
      threads,
      signal,
    })
  }
  const [top] = plan.renditions
  const scaled = spec === top ? originals : await scaleSamples(input, originals, spec)
  const isDisplayed = spec.width === display.width && spec.height === display.height
  const tryFactor = async (rateFactor: number, preset = plan.preset) => {
    const path = join(folder, `${spec.quality}-${preset ?? ''}-${rateFactor}.mp4`)
    const output = pictureArguments({ ...plan, preset }, { spec, rateFactor, threads })
    await encode(input, scaled.path, [...guardedInput(scaled.path), '-map', '0:v:0', ...output, path])
    return measure(path)
  }
  const factors = rateFactorsFor(plan)
  const { asBefore } = search
  if (asBefore) {
    const former = asBefore.find(({ quality }) => quality === spec.quality)?.rateFactor ?? factors.usual
    const goal = await tryFactor(former, FIRST_PRESET)
    return searchRateFactor({ goal, factors: { ...factors, usual: former } }, (factor) => tryFactor(factor))
  }
  const goal = goalOf(search.target)
  if (isDisplayed) return searchRateFactor({ goal, factors }, (factor) => tryFactor(factor))
  const lossless = await measure(scaled.path)
  return searchRateFactor({ goal: lessThan(lossless, goal), lossless, factors }, (factor) => tryFactor(factor))
}

/** Returns the video options of a sample, as chunks have them, with keyframes where spans start. */
function pictureArguments(
  { codec, search, preset }: Omit<Input['plan'], 'preset'> & { preset: H264Preset | undefined },
  { spec, rateFactor, threads }: { spec: RenditionSpec; rateFactor: number; threads: number },
): string[] {
  const rateFactors = [rateFactor]
  if (codec) return av1Arguments({ threads, group: framesOf(search), rateFactors })
  const keyFrames = `expr:eq(mod(n,${framesOf(search)}),0)`
  return encoderArguments('x264', { maxRates: [spec.maxVideoRate], rateFactors, threads, reorder: true, keyFrames, preset }).output
}

/** Returns the goal of a rendition that has `most` without encoding loss: it may lose as much as the highest one. */
const lessThan = (most: Quality, goal: QualityGoal): QualityGoal => ({
  mean: most.mean - (100 - goal.mean),
  p5: most.p5 - (100 - goal.p5),
})

/** Fast compression without loss. */
const LOSSLESS = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0', '-pix_fmt', 'yuv420p']

/** Joins a source's samples in one file, in the highest rendition's size and at its frame rate. */
async function takeSamples(input: Input, { width, height }: RenditionSpec): Promise<Samples> {
  const { source, folder, plan } = input
  const { facts, search } = plan
  const { frameRate, colors, videoStream } = facts
  const matrix = colors.rgb ? `:out_color_matrix=${colors.matrix}` : ''
  const scaled = `scale=${keptShape({ width, height }, facts)}:flags=bicubic:out_range=tv${matrix},setsar=1,format=yuv420p`
  const shown = `${scaled},${padded({ width, height })},${tagColors(colors)}`
  const spans = search.spans.map(
    ({ frames }, at) =>
      `[${at}:${videoStream}]setpts=PTS-STARTPTS,fps=${frameRate.text}:start_time=0,trim=end_frame=${frames},${shown}[s${at}]`,
  )
  const inputs = search.spans.map((_, at) => `[s${at}]`).join('')
  const path = join(folder, 'samples.mp4')
  let pictures = 0
  await encode(
    input,
    source,
    [
      // One decoder per span runs at once.
      ...search.spans.flatMap(({ startSec, frames }) => [
        ...['-threads', '1', '-ss', startSec.toFixed(3), '-t', (frames / frameRate.value + MARGIN_SEC).toFixed(3)],
        ...[...steadyFilters(facts), ...guardedInput(source)],
      ]),
      ...[
        '-filter_complex',
        `${spans.join(';')};${inputs}concat=n=${search.spans.length}:v=1:a=0,setpts=N/(${frameRate.text})/TB[v]`,
        '-map',
        '[v]',
      ],
      ...['-r', frameRate.text, ...LOSSLESS, '-progress', 'pipe:1', path],
    ],
    (line) => {
      if (line.startsWith('frame=')) pictures = Number(line.slice(6))
    },
  )
  if (!(pictures > 0)) throw new Error('the source has no frames where its quality is measured')
  return { path, pictures }
}

/** Seconds of the source to read after a span, because a frame rate can vary. */
const MARGIN_SEC = 1

async function scaleSamples(input: Input, { path: from, pictures }: Samples, { quality, width, height }: RenditionSpec): Promise<Samples> {
  const path = join(input.folder, `samples-${quality}.mp4`)
  const scale = ['-map', '0:v:0', '-vf', `scale=${width}:${height}:flags=bicubic,setsar=1`]
  await encode(input, from, [...guardedInput(from), ...scale, ...LOSSLESS, path])
  return { path, pictures }
}

const encode = ({ folder, plan, signal }: Input, reads: string, args: string[], onLine?: (line: string) => void) =>
  ffmpeg(args, {
    program: plan.codec && av1Program(),
    megabytes: plan.codec && env().AV1_MEMORY_MB,
    signal,
    background: true,
    only: { reads: [reads], writes: [folder] },
    ...(onLine && { onLine }),
  })
