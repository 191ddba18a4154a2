/** Encoders of H.264, by the names of `TRANSCODE_ENCODER`. */
export const ENCODERS = ['x264', 'nvenc', 'qsv', 'vaapi'] as const
export type Encoder = (typeof ENCODERS)[number]
export type HardwareEncoder = Exclude<Encoder, 'x264'>

/** Devices that a hardware encoder opens; the first one of each list must exist. */
export const DEVICES: Record<HardwareEncoder, readonly string[]> = {
  nvenc: ['/dev/nvidiactl', '/dev/nvidia0', '/dev/nvidia-uvm'],
  qsv: ['/dev/dri/renderD128'],
  vaapi: ['/dev/dri/renderD128'],
}

export interface EncoderInput {
  /** Maximum bit rate of each rendition in bits per second, in the order of the outputs. */
  maxRates: readonly number[]
  /** Threads of each rendition; hardware encoders ignore it. */
  threads: number
  /** Expression of `-force_key_frames`. */
  keyFrames: string
  /** Whether frames may be reordered; only x264 does so. */
  reorder: boolean
  /** Constant rate factor of each rendition, of x264 alone; by default the usual one. */
  rateFactors?: readonly number[]
  /** Preset of x264, by default the one that all videos are encoded with first. */
  preset?: H264Preset | undefined
}

export interface EncoderArguments {
  /** Options before the first input. */
  global: string[]
  /** Filters at the end of the chain of each rendition, whose format is yuv420p there; empty where none is needed. */
  filters: string
  /** Output options of the picture. */
  output: string[]
}

/** The long group of pictures leaves key frames to `-force_key_frames`, so that their times are identical in every rendition. */
const GROUP = ['-g', '600']
/** Share of the maximum rate that hardware encoders without a quality mode use on average. */
const AVERAGE = 0.7

/**
 * Returns the options of ffmpeg (5.1 or newer) for one pass with an encoder: High profile, capped rates, key frames where `keyFrames`
 * forces them and, except in x264, nowhere else. Those of hardware encoders follow ffmpeg's documentation and were not run on hardware.
 */
export function encoderArguments(encoder: Encoder, input: EncoderInput): EncoderArguments {
  const { global, filters, output } = BUILDERS[encoder](input)
  return { global, filters, output: [...output, '-profile:v', 'high', ...GROUP, '-force_key_frames', input.keyFrames] }
}

/** Rate factors of x264. With the tuning of `veryfast` the VMAF of the usual one is at or above that of 22 without (`npm run bench -- quality`). */
export const RATE_FACTORS: RateFactors = { least: 20, usual: 24, most: 32, step: 0.5, growth: { usual: 0.13, least: 0.06, most: 0.5 } }

/** Presets of x264, the fastest first. */
export const H264_PRESETS = ['veryfast', 'faster', 'fast', 'medium', 'slow'] as const
export type H264Preset = (typeof H264_PRESETS)[number]
/** Preset that every video is encoded with first. */
export const FIRST_PRESET: H264Preset = 'veryfast'
/** Preset that a video is encoded with again where that pays: 10 % fewer bytes for twice the processor time (docs/quality.md). */
export const SLOWER_PRESET: H264Preset = 'medium'

/**
 * Returns the options of x264 beyond its preset: decisions by rate and distortion, bits moved to flat areas, a longer look ahead. A third
 * fewer bytes at equal VMAF, for 1.05 times the processor time (docs/quality.md). Slower presets decide so and look as far on their own.
 */
const tuningOf = (preset: H264Preset): string => (preset === 'veryfast' ? 'trellis=1:aq-mode=2:rc-lookahead=20' : 'aq-mode=2')

/** A scale of rate factors: greater ones need fewer bytes and look worse. */
export interface RateFactors {
  least: number
  usual: number
  most: number
  /** Distance between two that are tried: about half a point of VMAF. */
  step: number
  /** Natural logarithm by which a unit multiplies the loss of VMAF: usually, and in a measurement that is not noise. */
  growth: { usual: number; least: number; most: number }
}

/** A codec that a video may have renditions of in addition to H.264. */
export type FurtherCodec = 'av1'

/** Rate factors of SVT-AV1. The VMAF of the usual one is half a point below that of x264's, a mean over six clips (docs/quality.md). */
export const AV1_RATE_FACTORS: RateFactors = { least: 22, usual: 35, most: 55, step: 1, growth: { usual: 0.065, least: 0.03, most: 0.25 } }
/** Rate factors of HDR pictures in ten bits, which are not searched for: no scorer has a model of them (docs/quality.md). */
export const HDR_RATE_FACTORS = { pq: 21, hlg: 28 }
/** 3.4 times the processor time of x264 with the options above (docs/quality.md). */
const AV1_PRESET = 8

/** Metadata of an HDR picture, in SVT-AV1's notation (`HdrPicture`). */
interface LightMetadata {
  mastering?: string
  contentLight?: string
}

interface Av1Input {
  threads: number
  /** Frames between key frames. ffmpeg 5.1 cannot force others. */
  group: number
  /** Constant rate factor of each rendition; by default the usual one. */
  rateFactors: readonly number[]
  /** Of an HDR picture. ffmpeg 7 would state it of the source; 5.1 does not. */
  light?: LightMetadata | undefined
}

/**
 * Returns the options of ffmpeg (5.1 or newer) for one pass with SVT-AV1, which has the bits and colours of the frames that it is given. Key
 * frames are at multiples of `group` and nowhere else.
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
    // A rate of 0 makes the quality (`-cq`) decide below the cap.
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
    // Forced key frames are always IDR frames here.
    output: ['-c:v', 'h264_vaapi', '-rc_mode', 'VBR', '-bf', '0', ...averages(maxRates), ...caps(maxRates)],
  }),
}

const caps = (maxRates: readonly number[]) =>
  maxRates.flatMap((rate, at) => [`-maxrate:v:${at}`, String(rate), `-bufsize:v:${at}`, String(rate * 2)])

const averages = (maxRates: readonly number[]) => maxRates.flatMap((rate, at) => [`-b:v:${at}`, String(Math.round(rate * AVERAGE))])
