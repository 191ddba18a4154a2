import { z } from 'zod'
import { ffprobe, ProgramFailed } from '../../../platform/ffmpeg/ffmpeg.ts'
import type { SourceFacts } from '../probe/probe.ts'
import { hdrColors, type SourceColors } from '../probe/source-colors.ts'

/** How a 10-bit rendition keeps the picture of an HDR source. Stored with the plan. */
export interface HdrPicture {
  /** The source's colors, which renditions are tagged with. */
  colors: SourceColors
  /** Mastering display (SMPTE ST 2086) in SVT-AV1's notation: chromaticities, and luminance in nits. Absent if the source states none. */
  mastering?: string
  /** Brightest pixel and brightest average frame in nits (MaxCLL, MaxFALL). Absent if the source states none. */
  contentLight?: string
}

/** A fraction such as `34000/50000`. */
const fraction = z
  .string()
  .transform((text) => text.split('/').map(Number))
  .transform(([above = Number.NaN, below = 1]) => above / below)
  .optional()
  .catch(undefined)
const sideData = z.object({
  red_x: fraction,
  red_y: fraction,
  green_x: fraction,
  green_y: fraction,
  blue_x: fraction,
  blue_y: fraction,
  white_point_x: fraction,
  white_point_y: fraction,
  min_luminance: fraction,
  max_luminance: fraction,
  max_content: z.number().optional().catch(undefined),
  max_average: z.number().optional().catch(undefined),
})
type SideData = z.output<typeof sideData>
const described = z.object({
  pix_fmt: z.string().optional(),
  color_primaries: z.string().optional(),
  color_space: z.string().optional(),
  side_data_list: z.array(sideData).default([]),
})
const probed = z.object({
  frames: z.array(described).default([]),
  streams: z.array(described.extend({ index: z.number() })).default([]),
})

/** Returns how renditions keep a source's HDR picture. Undefined if it is not HDR. Uses the usual values for what it does not state. */
export async function readHdrPicture(
  path: string,
  { hdr, videoStream }: Pick<SourceFacts, 'hdr' | 'videoStream'>,
  signal: AbortSignal,
): Promise<HdrPicture | undefined> {
  if (!hdr) return undefined
  const { streams, frames } = await readFirstFrame(path, videoStream, signal)
  const stream = streams.find(({ index }) => index === videoStream)
  const [frame = stream] = frames
  const stated = [...(frame?.side_data_list ?? []), ...(stream?.side_data_list ?? [])]
  const mastering = first(stated, masteringOf)
  const contentLight = first(stated, contentLightOf)
  const colors = hdrColors(hdr, {
    pixelFormat: frame?.pix_fmt ?? stream?.pix_fmt,
    primaries: frame?.color_primaries ?? stream?.color_primaries,
    matrix: frame?.color_space ?? stream?.color_space,
  })
  return { colors, ...(mastering && { mastering }), ...(contentLight && { contentLight }) }
}

/** The metadata is in the first frame; MPEG-TS files state it nowhere else. A first frame that cannot be decoded states none. */
async function readFirstFrame(path: string, stream: number, signal: AbortSignal): Promise<z.output<typeof probed>> {
  try {
    return probed.parse((await ffprobe(path, { signal, firstFrameOf: stream })).found)
  } catch (error) {
    if (error instanceof ProgramFailed || error instanceof SyntaxError || error instanceof z.ZodError) return { streams: [], frames: [] }
    throw error
  }
}

function first<Found>(all: readonly SideData[], read: (one: SideData) => Found | undefined): Found | undefined {
  for (const one of all) {
    const found = read(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** Chromaticities have steps of 0.00002, luminance has steps of 0.0001 nits (ISO/IEC 23091-2, ST 2086). */
const DIGITS = 5
/** Maximum luminance that PQ can express. */
const MOST_NITS = 10_000

function masteringOf(one: SideData): string | undefined {
  const { min_luminance: least = Number.NaN, max_luminance: most = Number.NaN } = one
  const points = [
    ['G', one.green_x, one.green_y],
    ['B', one.blue_x, one.blue_y],
    ['R', one.red_x, one.red_y],
    ['WP', one.white_point_x, one.white_point_y],
  ] as const
  const isStated = points.every(([, x = 0, y = 0]) => x > 0 && x < 1 && y > 0 && y < 1)
  if (!isStated || !(least >= 0 && least < most && most <= MOST_NITS)) return undefined
  const pair = (a: number, b: number) => `(${[a, b].map((value) => Number(value.toFixed(DIGITS))).join(',')})`
  return [...points.map(([name, x = 0, y = 0]) => `${name}${pair(x, y)}`), `L${pair(most, least)}`].join('')
}

/** Sources that do not know their light levels state zeros. */
function contentLightOf({ max_content: most = 0, max_average: average = 0 }: SideData): string | undefined {
  const isStated = [most, average].every((nits) => Number.isInteger(nits) && nits >= 0 && nits <= 65_535)
  return isStated && most > 0 ? `${most},${average}` : undefined
}
