import { existsSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { ffmpeg, guardedInput } from '../../../platform/ffmpeg/ffmpeg.ts'
import { type CopyPlan, segmentLengths } from '../plan/copy-plan.ts'
import type { TranscodePlan } from '../plan/plan.ts'
import { parseRate } from '../plan/segment-grid.ts'
import { SourceRejectedError } from '../probe/source-fault.ts'
import { TIME_OFFSET_SEC } from './chunk-arguments.ts'
import type { EncodedRendition, EncodedSegment } from './encoded.ts'
import { inTime } from './in-time.ts'
import { payloadOf, readPictures } from './mpeg-ts.ts'
import { outputFault } from './output-fault.ts'
import { segmentFile, segmentFolder, segmentTemplate } from './segment-files.ts'

interface Input {
  source: string
  /** An empty folder for the output: `<quality>/<media sequence number>.ts`. */
  folder: string
  plan: TranscodePlan
  copy: CopyPlan
  signal: AbortSignal
  /** Called for each segment once it is complete, in order. */
  onSegment?: (sequence: number, segment: EncodedSegment, codecs: string) => void
}

/** Time limit of a copy, which is as fast as the storage. Beyond it, the rendition is encoded in chunks. */
const LONGEST_MS = 15 * 60_000

/**
 * Cuts the top rendition from the source's packets. Throws if the segments differ from the plan; throws SourceRejectedError if they are not
 * alike, or if it takes too long.
 */
export async function copySource({ source, folder, plan, copy, signal, onSegment }: Input): Promise<EncodedRendition> {
  const [spec] = plan.renditions
  if (!spec) throw new Error('a plan without renditions has nothing to copy')
  await mkdir(segmentFolder(folder, spec.quality), { recursive: true })
  const lengths = segmentLengths(copy, parseRate(plan.facts.frameRate.text))
  const segments: EncodedSegment[] = []
  const sets = new Set<string>()
  let printed = 0
  const add = () => {
    const sequence = segments.length
    const segment = { path: segmentFile(folder, spec.quality, sequence), durationSec: lengths[sequence] ?? Number.NaN }
    if (existsSync(segment.path)) for (const set of readParameterSets(readFileSync(segment.path))) sets.add(set)
    segments.push(segment)
    const [set, other] = sets
    if (set && !other) onSegment?.(sequence, segment, codecsOf(set))
  }
  const onLine = () => {
    // ffmpeg prints a segment's name before it has written its end, and then starts the next one.
    if (printed > 0) add()
    printed++
  }
  const args = copyArguments({ source, folder, plan, copy, quality: spec.quality })
  const limit = { ms: LONGEST_MS, stopping: signal, reason: 'Copying took too long.' }
  await inTime(limit, (limited) => ffmpeg(args, { signal: limited, onLine, only: { reads: [source], writes: [folder] } }))
  if (printed > 0) add()
  if (printed !== copy.starts.length) throw await outputFault(folder, `ffmpeg copied ${printed} segments instead of ${copy.starts.length}`)
  const [set, other] = sets
  if (!set) throw new Error('the copied stream has no sequence parameter set')
  if (other) throw new SourceRejectedError('The frame size or pixel format changes.')
  return { spec, codecs: codecsOf(set), segments }
}

interface Arguments extends Pick<Input, 'source' | 'folder' | 'plan' | 'copy'> {
  quality: string
}

/** Returns the arguments of one ffmpeg pass that copies packets. It prints a line for each segment. */
function copyArguments({ source, folder, plan, copy, quality }: Arguments): string[] {
  return [
    ...guardedInput(source),
    ...['-map', `0:${plan.facts.videoStream}`, '-c', 'copy', '-map_metadata', '-1', '-map_chapters', '-1'],
    ...['-f', 'segment', '-segment_format', 'mpegts', '-segment_format_options', 'mpegts_flags=+initial_discontinuity'],
    // One stream through all segments, whose packet counters continue.
    ...['-individual_header_trailer', '0'],
    // Frames are counted in file order, in which all of a segment's frames precede its boundary.
    ...(copy.starts.length > 1 ? ['-segment_frames', copy.starts.slice(1).join(',')] : ['-segment_time', '86400']),
    ...['-segment_list', 'pipe:1', '-segment_list_type', 'flat'],
    ...['-output_ts_offset', String(TIME_OFFSET_SEC)],
    segmentTemplate(folder, quality),
  ]
}

const SPS = 7

/**
 * Returns the sequence parameter sets (ISO 14496-10 §7.3.2.1.1) of the H.264 stream in an MPEG-TS segment, in hexadecimal, each once. More
 * than one means that the picture changes its size or format.
 */
function readParameterSets(segment: Buffer): Set<string> {
  const stream = Buffer.concat(readPictures(segment).pictures.map(payloadOf))
  const sets = new Set<string>()
  for (let at = stream.indexOf(START_CODE); at >= 0; ) {
    const next = stream.indexOf(START_CODE, at + 3)
    if (((stream[at + 3] ?? 0) & 0x1f) === SPS) {
      let end = next < 0 ? stream.length : next
      while (stream[end - 1] === 0) end--
      sets.add(stream.toString('hex', at + 3, end))
    }
    at = next
  }
  return sets
}

/** Returns the CODECS value (RFC 6381, e.g. `avc1.640028`) of a sequence parameter set: profile, constraints and level. */
const codecsOf = (set: string): string => `avc1.${set.slice(2, 8)}`

const START_CODE = Buffer.of(0, 0, 1)
