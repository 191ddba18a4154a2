import { join } from 'node:path'
import { guardedInput } from '../../../platform/ffmpeg/ffmpeg.ts'
import { FRAGMENT } from '../../videos/media-keys.ts'
import { av1Arguments, type Encoder, type EncoderArguments, encoderArguments } from '../plan/encoders.ts'
import type { RenditionSpec } from '../plan/ladder.ts'
import { type Chunk, encodedRenditions, framesPerSegment, segmentStart, type TranscodePlan } from '../plan/plan.ts'
import { frameTime, lateBySec, parseRate } from '../plan/segment-grid.ts'
import { isSeekable } from '../probe/container.ts'
import { keptShape, oneSize, padded, steadyFilters } from '../probe/picture-shape.ts'
import type { SourceFacts } from '../probe/probe.ts'
import { tagColors } from '../probe/source-colors.ts'
import { rateFactorsOf } from '../quality/quality-search.ts'
import { clockOptions, pictureClock } from './clock-filters.ts'
import type { HdrPicture } from './hdr-picture.ts'
import { initTemplate, KEY_FRAME_SEC, MASTER, SEGMENT_SEC } from './segment-files.ts'

/**
 * Seconds added to every video and audio timestamp. The first frames would otherwise have negative decode times, which the muxer shifts;
 * later chunks would stay as they are, and the first chunk would be late by two frames.
 */
export const TIME_OFFSET_SEC = 10

/** Tolerance for floating-point rounding of times. Less than any difference between a frame's time and a segment's. */
const ROUNDING_SEC = 0.000_001
/** Tolerance for times in ticks of 1/90000 s. */
const TICKS_SEC = 0.000_05

interface Input {
  source: string
  folder: string
  plan: TranscodePlan
  chunk: Chunk
  threads: number
  encoder: Encoder
  /** Whether this ffmpeg can compute tone mapping (zscale, tonemap). Without it, a lookup table approximates it. */
  exactTones: boolean
  /** Whether this ffmpeg (before 6.1) gives an interlaced frame's captions to the frames of both its fields. */
  repeatsCaptions?: boolean
}

/**
 * Returns the arguments of one ffmpeg pass for all renditions of a chunk, highest first, without audio. Frames keep their times in the
 * video, so that each is the one that a single pass over the source shows.
 */
export function chunkArguments({ source, folder, plan, chunk, threads, encoder, exactTones, repeatsCaptions = false }: Input): string[] {
  const { facts } = plan
  const renditions = encodedRenditions(plan)
  const { encoding, muxing } = plan.codec ? av1Output(plan, chunk, threads) : h264Output({ plan, chunk, threads, encoder })
  return [
    ...encoding.global,
    ...clockOptions(facts),
    // Threads of the decoder, which by default uses one per core.
    ...['-threads', String(threads)],
    // Decoded from a keyframe, whose time is not known exactly. copyts keeps times relative to the source's start, not to the seek.
    ...(chunk.seek ? ['-copyts', '-start_at_zero', '-noaccurate_seek', '-ss', chunk.seek.sec.toFixed(6)] : []),
    ...steadyFilters(facts),
    ...guardedInput(source),
    ...[
      '-filter_complex',
      filters({
        facts,
        hdr: plan.hdr,
        renditions,
        chunk,
        lateSec: plan.copy?.lateSec ?? 0,
        exactTones,
        repeatsCaptions,
        last: encoding.filters,
      }),
    ],
    ...['-filter_complex_threads', String(threads)],
    ...renditions.flatMap((_, at) => ['-map', `[v${at}]`]),
    ...['-fps_mode', 'passthrough'],
    ...encoding.output,
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...['-progress', 'pipe:1', '-stats_period', '0.5'],
    ...muxing,
    ...['-hls_playlist_type', 'vod', '-master_pl_name', MASTER],
    ...['-hls_segment_filename', join(folder, '%v', `%05d${plan.codec ? FRAGMENT : '.ts'}`)],
    ...['-var_stream_map', renditions.map(({ quality }, at) => `v:${at},name:${quality}`).join(' ')],
    join(folder, '%v.m3u8'),
    ...sharedStart(
      facts,
      facts.audio.map(({ stream }) => stream),
    ),
  ]
}

/** Options of the encoder and the muxer. */
interface Output {
  encoding: EncoderArguments
  muxing: string[]
}

function h264Output({ plan, chunk, threads, encoder }: Pick<Input, 'plan' | 'chunk' | 'threads' | 'encoder'>): Output {
  const { keyFrames, cutSec } = plan.copy ? copiedCuts(plan, chunk) : regularCuts(plan, chunk)
  const encoding = encoderArguments(encoder, {
    maxRates: encodedRenditions(plan).map(({ maxVideoRate }) => maxVideoRate),
    threads,
    keyFrames,
    reorder: true,
    rateFactors: rateFactorsOf(plan, chunk),
    preset: plan.preset,
  })
  return { encoding, muxing: segmentArguments({ cutSec, first: chunk.firstSegment, lateSec: plan.copy?.lateSec }) }
}

/** AV1 segments are cut at every keyframe. Their times count from 0, whatever offset ffmpeg is given (`shiftFragment`). */
function av1Output(plan: TranscodePlan, chunk: Chunk, threads: number): Output {
  const group = framesPerSegment(plan.facts)
  const qualities = encodedRenditions(plan).map(({ quality }) => quality)
  return {
    encoding: {
      global: [],
      filters: '',
      output: av1Arguments({ threads, group, rateFactors: rateFactorsOf(plan, chunk), light: plan.hdr }),
    },
    muxing: [
      ...['-f', 'hls', '-hls_segment_type', 'fmp4', '-hls_fmp4_init_filename', initTemplate(qualities)],
      ...['-hls_time', EVERY_KEY_FRAME_SEC.toFixed(6), '-start_number', String(chunk.firstSegment), '-hls_list_size', '0'],
      ...['-hls_flags', 'independent_segments+temp_file'],
    ],
  }
}

/** Where a chunk has its keyframes, and the length that its cuts are multiples of. */
interface Cuts {
  /** Expression of `-force_key_frames`. */
  keyFrames: string
  cutSec: number
}

function regularCuts({ facts }: TranscodePlan, chunk: Chunk): Cuts {
  const lateSec = lateBySec(chunk.firstSegment, parseRate(facts.frameRate.text))
  return {
    // t counts from the chunk's first frame.
    keyFrames: `expr:gte(t+${(lateSec + ROUNDING_SEC).toFixed(9)},n_forced*${KEY_FRAME_SEC})`,
    cutSec: SEGMENT_SEC - lateSec - (lateSec > 0 ? TICKS_SEC : 0),
  }
}

/** Less than any segment, so that each keyframe starts one. */
const EVERY_KEY_FRAME_SEC = 0.001

/** Copied segments differ in length, so keyframes start segments and are nowhere else. */
function copiedCuts(plan: TranscodePlan, { firstSegment, startFrame, expectedFrames }: Chunk): Cuts {
  const terms = ['eq(n,0)']
  for (let segment = firstSegment + 1; segmentStart(plan, segment) < startFrame + expectedFrames; segment++)
    terms.push(`eq(n,${segmentStart(plan, segment) - startFrame})`)
  return { keyFrames: `expr:${terms.join('+')}`, cutSec: EVERY_KEY_FRAME_SEC }
}

/**
 * Returns a second output that reads and drops these streams. In containers whose timestamps can jump, ffmpeg counts from the first packet
 * of the streams in use; video and audio, which are encoded separately, must have the same start.
 */
export const sharedStart = (facts: SourceFacts, streams: readonly number[]): string[] =>
  streams.length === 0 || isSeekable(facts)
    ? []
    : [...streams.flatMap((stream) => ['-map', `0:${stream}`]), '-c', 'copy', '-f', 'null', '-']

/** Returns muxer options that video and audio share. */
export const segmentArguments = ({
  cutSec,
  first,
  lateSec = 0,
}: {
  cutSec: number
  first: number
  lateSec?: number | undefined
}): string[] => [
  // Without the flag, a client takes a chunk's first packets for damaged, because their counters start over.
  ...['-f', 'hls', '-hls_segment_type', 'mpegts', '-hls_segment_options', 'mpegts_flags=+initial_discontinuity'],
  ...['-hls_time', cutSec.toFixed(6), '-start_number', String(first), '-hls_list_size', '0'],
  // temp_file: a segment gets its final name only once it is complete.
  ...['-hls_flags', 'independent_segments+temp_file'],
  ...['-output_ts_offset', String(TIME_OFFSET_SEC + lateSec)],
]

interface FilterInput {
  facts: SourceFacts
  hdr: TranscodePlan['hdr']
  renditions: TranscodePlan['renditions']
  chunk: Chunk
  /** Time of frame 0 in the source. Later frames are numbered from it. */
  lateSec: number
  exactTones: boolean
  repeatsCaptions: boolean
  /** The encoder's filters at the end of each chain. */
  last: string
}

function filters({ facts, hdr, renditions, chunk, lateSec, exactTones, repeatsCaptions, last }: FilterInput): string {
  const { videoStream, interlaced } = facts
  const once = repeatsCaptions ? [`sidedata=mode=delete:type=A53_CC:enable='mod(n,2)'`] : []
  // Fields of a frame with a wrong time would get another wrong one.
  const strays = pictureClock({ ...(facts.strayFrames && { strayFrames: facts.strayFrames }) })
  const fields = interlaced ? [...strays, ...oneSize(facts), 'bwdif=mode=send_field:deint=interlaced', ...once] : []
  const from = [...fields, ...framesOf(facts, chunk, lateSec)].join(',')
  // Without setsar after every scale, 426 columns would be displayed as 427.
  const first = (size: RenditionSpec) => `:out_range=tv${hdr ? keptLight(hdr, size) : shownLight(facts, exactTones, size)}`
  return renditions
    .map((size, at) => {
      const sides = at > 0 || interlaced || (facts.hdr && !hdr) ? `${size.width}:${size.height}` : keptShape(size, facts)
      const input = at === 0 ? `[0:${videoStream}]${from},` : `[c${at}]`
      const end = last ? `,${last}[v${at}]` : `[v${at}]`
      const scaled = `${input}scale=${sides}:flags=bicubic${at === 0 ? first(size) : ',setsar=1'}`
      if (at === renditions.length - 1) return `${scaled}${end}`
      // The next rendition is scaled from this one, in the processor's memory.
      return `${scaled},split=2[${last ? `e${at}` : `v${at}`}][c${at + 1}]${last ? `;[e${at}]${last}[v${at}]` : ''}`
    })
    .join(';')
}

/** Returns the end of the first scale, which makes frames SDR. Tone mapping needs frames of one size. */
function shownLight({ hdr, colors, interlaced }: SourceFacts, exactTones: boolean, size: RenditionSpec): string {
  const tones = hdr ? `${toneMapping(hdr, exactTones)},` : ''
  const matrix = colors.rgb ? `:out_color_matrix=${colors.matrix}` : ''
  return `${matrix},setsar=1,${tones}format=yuv420p,${hdr || interlaced ? '' : `${padded(size)},`}${tagColors(colors)}`
}

/** Returns the end of the first scale, which leaves frames HDR. */
const keptLight = ({ colors }: HdrPicture, size: RenditionSpec) =>
  `${colors.rgb ? ':out_color_matrix=bt2020' : ''},setsar=1,format=yuv420p10le,${padded(size)},${tagColors(colors)}`

/** Returns the filters from decoded frames to the chunk's frames at the constant rate. Their times count from the video's start. */
function framesOf(
  facts: Pick<SourceFacts, 'frameRate' | 'pictureEndsEarlySec' | 'originSec' | 'strayFrames'>,
  { startFrame, frames, seek }: Pick<Chunk, 'startFrame' | 'frames' | 'seek'>,
  lateSec: number,
): string[] {
  const rate = parseRate(facts.frameRate.text)
  const startSec = frameTime(startFrame, rate)
  return [
    ...pictureClock(facts),
    ...(lateSec > 0 ? [`setpts='round(PTS-${lateSec.toFixed(6)}/TB)'`] : []),
    // If the first frame comes after the chunk's start (damage, a wrong index), it is shown from that start, like the first frame of a
    // video that starts late.
    ...(seek ? [`setpts='if(eq(N,0),min(PTS,floor(${startSec.toFixed(6)}/TB)),PTS)'`] : []),
    `fps=${facts.frameRate.text}${seek ? '' : ':start_time=0'}`,
    // The last frame is shown until the audio ends.
    ...(facts.pictureEndsEarlySec > 0 ? [`tpad=stop_mode=clone:stop_duration=${facts.pictureEndsEarlySec.toFixed(3)}`] : []),
    ...(startFrame > 0 || frames !== null
      ? [`trim=start_pts=${startFrame}${frames === null ? '' : `:end_pts=${startFrame + frames}`}`]
      : []),
  ]
}

const LIGHT = { pq: 'smpte2084', hlg: 'arib-std-b67' }

/** Peak luminance for tone mapping in hundreds of nits: 1,000 nits, the usual mastering level. */
const PEAK = 10

/** Returns the filters from HDR (BT.2020, limited range) to BT.709. They run at the top rendition's size, which costs the least. */
function toneMapping(hdr: 'pq' | 'hlg', exact: boolean): string {
  if (exact) {
    const linear = `setparams=color_primaries=bt2020:color_trc=${LIGHT[hdr]}:colorspace=bt2020nc:range=tv,zscale=t=linear:npl=100,format=gbrpf32le`
    return `${linear},zscale=p=bt709,tonemap=hable:desat=0:peak=${PEAK},zscale=t=bt709:m=bt709:r=tv`
  }
  const matrix = 'scale=in_color_matrix=bt2020:out_color_matrix=bt709'
  const tagged = 'setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709'
  // HLG is compatible with SDR screens and needs no curve. For PQ (SMPTE ST 2084), the table maps only luma, with the same curve.
  if (hdr === 'hlg') return `${matrix},${tagged}`
  const light =
    'st(0,pow(clip((val-minval)/(maxval-minval),0,1),1/78.84375));st(1,100*pow(max(ld(0)-0.8359375,0)/(18.8515625-18.6875*ld(0)),1/0.1593017578))'
  const curve = '((ld(1)*(ld(1)*0.15+0.05)+0.004)/(ld(1)*(ld(1)*0.15+0.5)+0.06)-0.0666667)/0.70622'
  const shown = `minval+(maxval-minval)*pow(clip(${curve},0,1),1/2.4)`
  return `${matrix},lutyuv=y='${light};${shown}',${tagged}`
}
