/** H.264 encoders, by the names in `TRANSCODE_ENCODER`. */
export const ENCODERS = ['x264', 'nvenc', 'qsv', 'vaapi'] as const
export type Encoder = (typeof ENCODERS)[number]
export type HardwareEncoder = Exclude<Encoder, 'x264'>

/** Devices that a hardware encoder opens. The first in each list must exist. */
export const DEVICES: Record<HardwareEncoder, readonly string[]> = {
  nvenc: ['/dev/nvidiactl', '/dev/nvidia0', '/dev/nvidia-uvm'],
  qsv: ['/dev/dri/renderD128'],
  vaapi: ['/dev/dri/renderD128'],
}

export interface EncoderInput {
  /** Maximum bit rate of each rendition in bits per second, in the order of the outputs. */
  maxRates: readonly number[]
  /** Threads per rendition. Hardware encoders ignore it. */
  threads: number
  /** Expression of `-force_key_frames`. */
  keyFrames: string
  /** Whether frames may be reordered. Only x264 does so. */
  reorder: boolean
  /** Constant rate factor of each rendition, only for x264. Defaults to the usual one. */
  rateFactors?: readonly number[]
  /** x264 preset. Defaults to the one that all videos are first encoded with. */
  preset?: H264Preset | undefined
}

export interface EncoderArguments {
  /** Options before the first input. */
  global: string[]
  /** Filters at the end of each rendition's chain, whose format is yuv420p there. Empty if none is needed. */
  filters: string
  /** Output options of the picture. */
  output: string[]
}

/** The long group of pictures leaves keyframes to `-force_key_frames`, so that their times are the same in every rendition. */
const GROUP = ['-g', '600']
/** Share of the maximum rate that hardware encoders without a quality mode use on average. */
const AVERAGE = 0.7

/**
 * Returns the options of ffmpeg (5.1 or newer) for one pass with an encoder: High profile, capped rates, keyframes where `keyFrames` forces
 * them and, except in x264, nowhere else. Those of hardware encoders follow ffmpeg's documentation and were not run on hardware.
 */
export function encoderArguments(encoder: Encoder, input: EncoderInput): EncoderArguments {
  const { global, filters, output } = BUILDERS[encoder](input)
  return { global, filters, output: [...output, '-profile:v', 'high', ...GROUP, '-force_key_frames', input.keyFrames] }
}

/**
 * x264 rate factors. With the tuning of `veryfast`, the usual one's VMAF is at or above that of 22 without (`npm run bench -- quality`).
 */
export const RATE_FACTORS: RateFactors = { least: 20, usual: 24, most: 32, step: 0.5, growth: { usual: 0.13, least: 0.06, most: 0.5 } }

/** x264 presets, fastest first. */
export const H264_PRESETS = ['veryfast', 'faster', 'fast', 'medium', 'slow'] as const
export type H264Preset = (typeof H264_PRESETS)[number]
/** Preset that every video is first encoded with. */
export const FIRST_PRESET: H264Preset = 'veryfast'
/** Preset to re-encode a video with if that pays: 10 % fewer bytes for twice the processor time (docs/quality.md). */
export const SLOWER_PRESET: H264Preset = 'medium'

/**
 * Returns x264's options beyond its preset: rate-distortion decisions, bits moved to flat areas, a longer look-ahead. A third fewer bytes
 * at equal VMAF, for 1.05 times the processor time (docs/quality.md). Slower presets already decide this way and look as far ahead.
 */
const tuningOf = (preset: H264Preset): string => (preset === 'veryfast' ? 'trellis=1:aq-mode=2:rc-lookahead=20' : 'aq-mode=2')

/** A scale of rate factors. Higher ones need fewer bytes and look worse. */
export interface RateFactors {
  least: number
  usual: number
  most: number
  /** Distance between two that are tried: about half a point of VMAF. */
  step: number
  /** Natural logarithm by which a unit multiplies the loss of VMAF: usually, and in a measurement that is not noise. */
  growth: { usual: number; least: number; most: number }
}

/** A codec that a video can have renditions of in addition to H.264. */
export type FurtherCodec = 'av1'

/** SVT-AV1 rate factors. The usual one's VMAF is half a point below x264's, on average over six clips (docs/quality.md). */
export const AV1_RATE_FACTORS: RateFactors = { least: 22, usual: 35, most: 55, step: 1, growth: { usual: 0.065, least: 0.03, most: 0.25 } }
/** Rate factors of 10-bit HDR, which are not searched for: no scorer has a model of it (docs/quality.md). */
export const HDR_RATE_FACTORS = { pq: 21, hlg: 28 }
/** 3.4 times the processor time of x264 with the options above (docs/quality.md). */
const AV1_PRESET = 8

/** An HDR picture's metadata, in SVT-AV1's notation (`HdrPicture`). */
interface LightMetadata {
  mastering?: string
  contentLight?: string
}

interface Av1Input {
  threads: number
  /** Frames between keyframes. ffmpeg 5.1 cannot force others. */
  group: number
  /** Constant rate factor of each rendition. Defaults to the usual one. */
  rateFactors: readonly number[]
  /** For an HDR picture. ffmpeg 7 would take it from the source; 5.1 does not. */
  light?: LightMetadata | undefined
}

/**
 * Returns the options of ffmpeg (5.1 or newer) for one pass with SVT-AV1, with the bit depth and colors of the frames it is given.
 * Keyframes are at multiples of `group` and nowhere else.
 */
export const av1Arguments = ({ threads, group, rateFactors, light = {} }: Av1Input): string[] => [
  ...['-c:v', 'libsvtav1', '-preset', String(AV1_PRESET)],
  ...(rateFactors.length > 0
    ? rateFactors.flatMap((factor, at) => [`-crf:v:${at}`, String(factor)])
    : ['-crf', String(AV1_RATE_FACTORS.usual)]),
  ...['-svtav1-params', [`lp=${threads}`, 'scd=0', ...lightParameters(light)].join(':')],
  ...['-g', String(group)],
]

const lightParameters = ({ mastering, contentLight }: LightMetadata) => [
  ...(mastering ? [`mastering-display=${mastering}`] : []),
  ...(contentLight ? [`content-light=${contentLight}`] : []),
]

const BUILDERS: Record<Encoder, (input: EncoderInput) => EncoderArguments> = {
  x264: ({ maxRates, threads, reorder, rateFactors = [], preset = FIRST_PRESET }) => ({
    global: [],
    filters: '',
    output: [
      ...['-c:v', 'libx264', '-preset', preset],
      ...(rateFactors.length > 0
        ? rateFactors.flatMap((factor, at) => [`-crf:v:${at}`, String(factor)])
        : ['-crf', String(RATE_FACTORS.usual)]),
      ...['-threads', String(threads), '-sc_threshold', '0'],
      ...['-x264-params', tuningOf(preset)],
      ...(reorder ? [] : ['-bf', '0']),
      ...caps(maxRates),
    ],
  }),
  nvenc: ({ maxRates }) => ({
    global: [],
    filters: '',
    // With a rate of 0, the quality (`-cq`) decides below the cap.
    output: [
      ...['-c:v', 'h264_nvenc', '-preset', 'p4', '-tune', 'hq', '-rc', 'vbr', '-cq', '23', '-b:v', '0'],
      ...['-bf', '0', '-no-scenecut', '1', '-forced-idr', '1'],
      ...caps(maxRates),
    ],
  }),
  qsv: ({ maxRates }) => ({
    global: ['-init_hw_device', `qsv=encoder,child_device=${DEVICES.qsv[0]}`],
    filters: 'format=nv12',
    output: [
      ...['-c:v', 'h264_qsv', '-preset', 'faster', '-bf', '0', '-look_ahead', '0', '-adaptive_i', '0', '-forced_idr', '1'],
      ...averages(maxRates),
      ...caps(maxRates),
    ],
  }),
  vaapi: ({ maxRates }) => ({
    global: ['-vaapi_device', DEVICES.vaapi[0] as string],
    filters: 'format=nv12,hwupload',
    // Forced keyframes are always IDR frames here.
    output: ['-c:v', 'h264_vaapi', '-rc_mode', 'VBR', '-bf', '0', ...averages(maxRates), ...caps(maxRates)],
  }),
}

const caps = (maxRates: readonly number[]) =>
  maxRates.flatMap((rate, at) => [`-maxrate:v:${at}`, String(rate), `-bufsize:v:${at}`, String(rate * 2)])

const averages = (maxRates: readonly number[]) => maxRates.flatMap((rate, at) => [`-b:v:${at}`, String(Math.round(rate * AVERAGE))])
