import { z } from 'zod'
import { ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import { hasDecoder } from '../../../platform/ffmpeg/ffmpeg-programs.ts'
import { looksLikeVideo } from './container.ts'
import { probeWithChapters } from './source-chapters.ts'
import { SourceRejectedError } from './source-fault.ts'

const number = z.coerce.number().optional().catch(undefined)
const stream = z.object({
  index: z.number(),
  /** Whether the current ffmpeg has a decoder. `read` finds out. */
  isDecodable: z.boolean().default(true),
  codec_type: z.string().optional(),
  codec_name: z.string().optional(),
  codec_tag_string: z.string().optional(),
  profile: z.string().optional().catch(undefined),
  level: number,
  width: number,
  height: number,
  sample_aspect_ratio: z.string().optional(),
  avg_frame_rate: z.string().optional(),
  r_frame_rate: z.string().optional(),
  field_order: z.string().optional(),
  pix_fmt: z.string().optional(),
  color_space: z.string().optional(),
  color_primaries: z.string().optional(),
  color_transfer: z.string().optional(),
  channels: number,
  channel_layout: z.string().optional().catch(undefined),
  start_time: number,
  duration: number,
  nb_frames: number,
  disposition: z
    .object({
      attached_pic: z.number().optional(),
      timed_thumbnails: z.number().optional(),
      still_image: z.number().optional(),
      default: z.number().optional(),
    })
    .optional(),
  tags: z
    .object({
      rotate: number,
      DURATION: z.string().optional(),
      language: z.string().optional().catch(undefined),
      title: z.string().optional().catch(undefined),
    })
    .optional(),
  side_data_list: z
    .array(z.object({ side_data_type: z.string().optional(), rotation: number, dv_profile: number, dv_bl_signal_compatibility_id: number }))
    .optional(),
})
const probed = z.object({
  streams: z.array(stream).default([]),
  /** Of a transport stream, which can hold the streams of several stations. */
  programs: z.array(z.object({ streams: z.array(z.object({ index: z.number() })).default([]) })).default([]),
  format: z.object({ format_name: z.string().optional(), start_time: number, duration: number }).default({}),
})

export type Stream = z.output<typeof stream>
export type Format = z.output<typeof probed>['format']

/** Returns what ffprobe found in a file. Throws SourceRejectedError if it cannot be read. */
export async function read(path: string, signal: AbortSignal): Promise<z.output<typeof probed> & { complaints: string; found: unknown }> {
  try {
    const { found, complaints } = await probeWithChapters(path, AbortSignal.any([signal, AbortSignal.timeout(120_000)]))
    const { streams, ...file } = probed.parse(found)
    const isDecodable = ({ codec_name: codec }: Stream) => codec === undefined || hasDecoder(codec)
    return { ...file, streams: streams.map((one) => ({ ...one, isDecodable: isDecodable(one) })), complaints, found }
  } catch (error) {
    if (error instanceof ProgramFailed) throw await explain(path, error)
    if ((error instanceof DOMException && error.name === 'TimeoutError') || error instanceof SyntaxError)
      throw new SourceRejectedError('The file is damaged and could not be read.')
    throw error
  }
}

/** ffprobe reports the same error for text, noise and a video truncated before its index. The first bytes tell them apart. */
async function explain(path: string, { output }: ProgramFailed): Promise<SourceRejectedError> {
  if (!(await looksLikeVideo(path))) return new SourceRejectedError('This file is not a video.')
  const tooLarge = oversize(output)
  if (tooLarge) return tooLarge
  if (/moov atom not found/.test(output)) {
    return new SourceRejectedError(
      'The video file is incomplete: the index at its end is missing. Export or copy it again and upload the new file.',
    )
  }
  if (/not implemented/.test(output))
    return new SourceRejectedError(
      'A track of this file is in a format that cannot be decoded. Export the file as H.264 with AAC audio and upload the new file.',
    )
  return new SourceRejectedError('The video file is damaged and cannot be read. Export it again and upload the new file.')
}

/** A transport stream lists streams that it has no packets of. */
export const isEmpty = ({ codec_type, channels }: Stream) => codec_type === 'audio' && channels === 0

/** True for a stream that ffmpeg has a decoder for and that is neither empty nor encrypted. */
export const known = (one: Stream) =>
  one.isDecodable &&
  !isEmpty(one) &&
  one.codec_name !== undefined &&
  one.codec_name !== 'unknown' &&
  !/^enc[av]$/.test(one.codec_tag_string ?? '')

/** Returns the refusal if the decoder refused the video because of its size. */
export function oversize(complaints: string): SourceRejectedError | undefined {
  const size = /Picture size (\d+)x(\d+) exceeds/.exec(complaints)
  return size ? tooLarge(Number(size[1]), Number(size[2])) : undefined
}

/** Returns the refusal for a video larger than the decoder accepts. */
export const tooLarge = (width: number, height: number) =>
  new SourceRejectedError(
    `The resolution (${width}×${height}) exceeds the maximum of 4096×2176. Export the video with a lower resolution and upload the new file.`,
  )
