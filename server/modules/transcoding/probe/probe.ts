import { env } from '../../../platform/config/config.ts'
import { MAX_PIXELS } from '../../../platform/ffmpeg/ffmpeg.ts'
import type { Chapter } from '../../videos/schema.ts'
import { type AudioTrack, chooseTracks, type LeftOutTrack, leftOutTracks } from '../plan/audio-tracks.ts'
import { MAX_FRAME_RATE, MAX_GIGAPIXELS_AN_HOUR, MAX_SIDE, MAX_STREAMS } from '../plan/limits.ts'
import { isSeekable } from './container.ts'
import { readFrameRate } from './frame-rate.ts'
import { refuseJoined } from './joined-streams.ts'
import { readPackets, type SourcePackets } from './key-frames.ts'
import { hasPicture, isPicture, isStill, mainPicture } from './main-picture.ts'
import { ownStatements } from './pixel-shape.ts'
import { readChapters } from './source-chapters.ts'
import { readColors, SDR_COLORS, type SourceColors } from './source-colors.ts'
import { SourceRejectedError } from './source-fault.ts'
import { measureLength, STILL } from './source-length.ts'
import { isEmpty, known, oversize, read, type Stream, tooLarge } from './source-streams.ts'
import { readSubtitles, type SubtitleTrack } from './source-subtitles.ts'

/** Properties of a source that encoding needs. Sizes are as displayed: square pixels, rotation applied. */
export interface SourceFacts {
  durationSec: number
  /** Names of the container format as ffprobe lists them, e.g. `matroska,webm`. */
  container: string
  width: number
  height: number
  /** Output frame rate in ffmpeg's notation, e.g. `30000/1001`, and as a number. For interlaced video, one frame per field. */
  frameRate: { text: string; value: number }
  interlaced: boolean
  /** Transfer function of HDR video, which is converted for SDR screens. */
  hdr: 'pq' | 'hlg' | undefined
  /** Colors of every rendition. */
  colors: SourceColors
  /** Stream numbers within the file. */
  videoStream: number
  /** Audio tracks to encode, in file order. */
  audio: AudioTrack[]
  /** Audio tracks that are not encoded. Absent if there are none, and in earlier versions' plans. */
  leftOut?: LeftOutTrack[]
  /** Absent if there are none, and in earlier versions' plans. */
  chapters?: Chapter[]
  subtitles?: SubtitleTrack[]
  /** Seconds that the video ends before the last track. The last frame is shown that long. */
  pictureEndsEarlySec: number
  /** Seconds from the start of the file, as ffmpeg counts, to the start of the video. Absent for 0. All other times count from there. */
  originSec?: number
  /** Times, as ffmpeg counts, of frames to leave out because they are out of line with all others. Absent if there are none. */
  strayFrames?: number[]
  /** Set if the video must be cut off at its end, beyond which a wrong time would extend it. */
  isBounded?: true
  /** Set if video and audio pause together, as they do where a transport stream's clock jumps (`clockOptions`). */
  closesJumps?: true
  /** How the video is encoded. Absent in earlier versions' plans. */
  coding?: SourceCoding
}

/** What decides whether players accept the video packets as they are. Names are ffprobe's. */
export interface SourceCoding {
  codec: string
  profile: string
  /** Of H.264, times 10. */
  level: number
  pixelFormat: string
  progressive: boolean
  /** Stated by the container and, if packets may be copied, by the stream. */
  squarePixels: boolean
  /** Set if an H.264 stream states other colors than its container. */
  otherColors?: true
  /** Whether a display matrix rotates or mirrors it. */
  rotated: boolean
  /** Its first frames' size, as stored. Absent in earlier versions' plans. */
  codedSize?: { width: number; height: number }
}

/** Reads a source. Throws SourceRejectedError, with a message for its owner, for anything that cannot become a video. */
export const probe = async (path: string, signal: AbortSignal): Promise<SourceFacts> => (await probeWithPackets(path, signal)).facts

/**
 * Reads a source and also returns its packets. `mayCopy`: whether they may become a rendition, according to the facts that the file states.
 */
export async function probeWithPackets(
  path: string,
  signal: AbortSignal,
  mayCopy: (stated: SourceFacts) => boolean = () => false,
): Promise<{ facts: SourceFacts; packets: SourcePackets }> {
  return probeStreams(path, { ...(await read(path, signal)), signal, mayCopy })
}

type Found = Awaited<ReturnType<typeof read>> & { signal: AbortSignal }

async function probeStreams(
  path: string,
  source: Found & { mayCopy: (stated: SourceFacts) => boolean },
): Promise<{ facts: SourceFacts; packets: SourcePackets }> {
  const { streams, signal, mayCopy } = source
  const { facts: stated, averageRate, frameRateOf, others, ...file } = await readStated(path, source)
  const wanted = {
    videoStream: stated.videoStream,
    sounds: stated.audio.map(({ stream }) => stream),
    codec: stated.coding?.codec,
    averageRate,
    ...(mayCopy(stated) && { frameRate: stated.frameRate.value }),
    isDiscontinuous: !isSeekable(stated),
  }
  const packets = await readPackets(path, wanted, signal)
  // A thumbnail that states nothing about itself.
  const rest = streams.filter(({ index }) => index !== stated.videoStream)
  if (packets.picture.packets === 1 && hasPicture(rest)) return probeStreams(path, { ...source, streams: rest })
  refuseTooFast(packets.picture.frameSec === undefined ? averageRate : 1 / packets.picture.frameSec)
  if (!isSeekable(stated)) await refuseJoined(path, { streams, others, video: stated.videoStream, warnings: packets.warnings, signal })
  const length = await measureLength(path, { stated, packets, ...file })
  const frameRate = frameRateOf(packets.picture.frameSec)
  // The larger of the decoded and the encoded frame count.
  refuseTooMuch({ ...stated, frames: Math.max(packets.picture.packets, Math.round(length.durationSec * frameRate.value)) })
  const chapters = readChapters(file.found, length)
  return { facts: { ...stated, ...length, frameRate, chapters, ...(packets.closesJumps && { closesJumps: true }) }, packets }
}

/** Returns the facts as the file states them, and what else decides about them. */
async function readStated(path: string, { streams, programs, format, complaints, found, signal }: Found) {
  // Subtitles can have their fonts attached.
  const { length } = streams.filter(({ codec_type }) => codec_type !== 'attachment')
  if (length > MAX_STREAMS)
    throw new SourceRejectedError(`This file contains ${length} tracks; the maximum is ${MAX_STREAMS}. Export it with fewer tracks.`)
  const video = mainPicture(streams)
  refuseDolbyVision(video)
  const { width, height } = displaySize(video, complaints)
  const [frames = 0, per = 1] = (video.avg_frame_rate ?? '').split('/').map(Number)
  const interlaced = ['tt', 'bb', 'tb', 'bt'].includes(video.field_order ?? '')
  // An MP4 states its number of frames unless it is fragmented.
  const fragmented = /\bmp4\b/.test(format.format_name ?? '') && video.nb_frames === undefined
  const frameRateOf = (frameSec?: number) => readFrameRate(video.avg_frame_rate, video.r_frame_rate, { interlaced, fragmented, frameSec })
  const program = programs.find((one) => one.streams.some(({ index }) => index === video.index))
  const isOurs = (one: Stream) => !program || program.streams.some(({ index }) => index === one.index)
  const sounds = streams.filter((one) => one.codec_type === 'audio' && (isOurs(one) || !isEmpty(one)))
  const hdr = HDR[video.color_transfer ?? '']
  const audio = chooseTracks(
    sounds
      .filter((one) => known(one) && isOurs(one))
      .map((one) => ({
        stream: one.index,
        language: one.tags?.language,
        title: one.tags?.title,
        hasDefaultFlag: one.disposition?.default === 1,
        channels: one.channels,
        layout: one.channel_layout,
        endsEarlySec: 0,
      })),
  )
  if (isStill(video) && audio.length === 0) throw new SourceRejectedError(STILL)
  const leftOut = leftOutTracks(sounds, audio, isOurs)
  const facts: SourceFacts = {
    durationSec: format.duration ?? Number.POSITIVE_INFINITY,
    container: format.format_name ?? '',
    width,
    height,
    frameRate: frameRateOf(),
    interlaced,
    hdr,
    colors: hdr ? SDR_COLORS : colorsOf(video, { width, height }),
    videoStream: video.index,
    audio,
    ...(leftOut.length > 0 && { leftOut }),
    subtitles: readSubtitles(found),
    pictureEndsEarlySec: 0,
    coding: await codingOf(path, video, signal),
  }
  const chosen = streams.filter(({ index }) => index === video.index || facts.audio.some(({ stream }) => stream === index))
  const others = streams.filter((one) => isPicture(one) && one !== video && isOurs(one)).map(({ index }) => index)
  return { facts, averageRate: frames / per || undefined, frameRateOf, others, format, chosen, found }
}

async function codingOf(path: string, video: Stream, signal: AbortSignal): Promise<SourceCoding> {
  const own = video.codec_name === 'h264' ? await ownStatements(path, { index: video.index, matrix: video.color_space }, signal) : undefined
  return {
    codec: video.codec_name ?? '',
    profile: video.profile ?? '',
    level: video.level ?? 0,
    pixelFormat: video.pix_fmt ?? '',
    progressive: video.field_order === 'progressive',
    squarePixels: ['1:1', '0:1', undefined].includes(video.sample_aspect_ratio) && own?.squarePixels !== false,
    ...(own?.sameColors === false && { otherColors: true as const }),
    rotated: rotationOf(video) !== 0 || isMirrored(video),
    codedSize: { width: video.width ?? 0, height: video.height ?? 0 },
  }
}

const colorsOf = (video: Stream, size: { width: number; height: number }) =>
  readColors({
    ...size,
    pixelFormat: video.pix_fmt,
    primaries: video.color_primaries,
    transfer: video.color_transfer,
    matrix: video.color_space,
  })

function refuseTooFast(perSec = 0): void {
  const rate = Math.round(perSec)
  if (rate > MAX_FRAME_RATE && rate < 999)
    throw new SourceRejectedError(
      `This video has ${rate} frames per second; the maximum is ${MAX_FRAME_RATE}. Export it with a lower frame rate.`,
    )
}

/** Limits the product of duration and size, which determines the work, in addition to each one's own limit. */
function refuseTooMuch({ width, height, frames }: { width: number; height: number; frames: number }): void {
  const most = env().MAX_VIDEO_HOURS * MAX_GIGAPIXELS_AN_HOUR
  const billions = (frames * width * height) / 1e9
  if (billions <= most) return
  const count = (value: number) => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })
  throw new SourceRejectedError(
    `This video has ${count(billions)} billion pixels in total (${frames.toLocaleString('en')} frames of ${width}×${height}); the maximum is ${count(most)} billion. Export it with a lower resolution or frame rate, or upload it in parts.`,
  )
}

/** Refuses profile 5, whose colors only a licensed decoder converts. Other profiles have a base layer in HDR10, HLG or SDR. */
function refuseDolbyVision({ side_data_list: all = [] }: Stream): void {
  const dolby = all.find(({ dv_profile }) => dv_profile !== undefined)
  if (dolby && dolby.dv_bl_signal_compatibility_id === 0)
    throw new SourceRejectedError(
      `This video is in Dolby Vision profile ${dolby.dv_profile}, whose colors cannot be converted. Export it as HDR10, HLG or SDR and upload the new file.`,
    )
}

const HDR: Record<string, SourceFacts['hdr']> = { smpte2084: 'pq', 'arib-std-b67': 'hlg' }

function displaySize(video: Stream, complaints: string): { width: number; height: number } {
  const { width: coded = 0, height = 0 } = video
  if (coded < 2 || height < 2) throw oversize(complaints) ?? new SourceRejectedError('The video file is damaged: its frames have no size.')
  if (coded * height > MAX_PIXELS) throw tooLarge(coded, height)
  const [across = 1, down = 1] = (video.sample_aspect_ratio ?? '1:1').split(':').map(Number)
  const ratio = across > 0 && down > 0 ? across / down : 1
  const width = Math.max(2, Math.round(coded * ratio))
  if (Math.max(width, height) > MAX_SIDE) throw tooLarge(width, height)
  // At other angles, ffmpeg rotates the picture within its sides.
  return Math.abs((Math.abs(rotationOf(video)) % 180) - 90) < 1 ? { width: height, height: width } : { width, height }
}

/** A mirrored picture may have no rotation. Containers without an effect on the picture have no matrix. */
const isMirrored = ({ side_data_list: all = [] }: Stream): boolean => all.some((one) => one.side_data_type === 'Display Matrix')

const rotationOf = ({ side_data_list: all = [], tags }: Stream): number =>
  all.find((one) => one.rotation !== undefined)?.rotation ?? tags?.rotate ?? 0
