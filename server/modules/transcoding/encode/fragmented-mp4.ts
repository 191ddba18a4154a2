import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Chunk, TranscodePlan } from '../plan/plan.ts'
import { parseRate } from '../plan/segment-grid.ts'
import { TIME_OFFSET_SEC } from './chunk-arguments.ts'
import { initFile } from './segment-files.ts'

/** A box of ISO 14496-12 within `bytes`: its type, its place, and where its content starts. */
interface Box {
  type: string
  start: number
  content: number
  end: number
}

/** Boxes that contain others, as far as this code looks into them. */
const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf'])
/** Bytes before the boxes within these: a version with an entry count, and the fields of a visual sample entry (§12.1.3). */
const FIELDS: Record<string, number> = { stsd: 8, av01: 78 }

/** Returns the boxes between two places, each before those it contains. Throws if they do not fill the space exactly. */
function boxesOf(bytes: Buffer, from = 0, to = bytes.length): Box[] {
  const found: Box[] = []
  for (let start = from; start < to; ) {
    if (to - start < 8) throw new Error('an MP4 box is incomplete')
    const size = bytes.readUInt32BE(start)
    const type = bytes.toString('latin1', start + 4, start + 8)
    // The muxer writes neither boxes with 64-bit sizes nor boxes without a size.
    if (size < 8 || start + size > to) throw new Error(`an MP4 box has the size ${size}`)
    const [content, end] = [start + 8, start + size]
    found.push({ type, start, content, end })
    if (CONTAINERS.has(type) || type in FIELDS) found.push(...boxesOf(bytes, content + (FIELDS[type] ?? 0), end))
    start = end
  }
  return found
}

function boxOf(boxes: readonly Box[], type: string): Box {
  const box = boxes.find((one) => one.type === type)
  if (!box) throw new Error(`MP4 without a box ${type}`)
  return box
}

/** Makes readers skip a box. */
function clear(bytes: Buffer, { start, content, end }: Box): void {
  bytes.write('free', start + 4, 'latin1')
  bytes.fill(0, content, end)
}

/** What an initialization section states about its only track, which is AV1. */
interface FragmentedTrack {
  /** The section without an edit list: segments have their times in the video. The same for all chunks. */
  init: Buffer<ArrayBuffer>
  /** Ticks per second. */
  timescale: number
  /** RFC 6381, such as `av01.0.04M.08`, or `av01.0.04M.10.0.111.09.16.09.0` for HDR. */
  codecs: string
}

/** Reads the initialization section from ffmpeg's muxer. Throws for any other content. */
export function readInit(file: Buffer): FragmentedTrack {
  const init = withoutEdits(file)
  const boxes = boxesOf(init)
  const { content } = boxOf(boxes, 'mdhd')
  // Version 1 has times of 64 bits (§8.4.2).
  const timescale = init.readUInt32BE(content + (init[content] === 1 ? 20 : 12))
  return { init, timescale, codecs: codecsOf(init, boxes) }
}

/** Removes the edit list, which delays the first chunk by a different time than later ones. */
function withoutEdits(file: Buffer): Buffer<ArrayBuffer> {
  const copy = Buffer.from(file)
  const boxes = boxesOf(copy)
  const edits = boxes.find(({ type }) => type === 'edts')
  if (!edits) return copy
  for (const { start, end } of boxes.filter((box) => box.start < edits.start && box.end >= edits.end))
    copy.writeUInt32BE(end - start - (edits.end - edits.start), start)
  return Buffer.concat([copy.subarray(0, edits.start), copy.subarray(edits.end)])
}

/** Returns the codec string of an AV1 configuration (AV1 in ISOBMFF §2.3 and §5), for HDR with colors. */
function codecsOf(init: Buffer, boxes: readonly Box[]): string {
  const { content } = boxOf(boxes, 'av1C')
  const [, second = 0, third = 0] = init.subarray(content, content + 3)
  const level = twoDigits(second & 0x1f)
  const bits = third & 0x40 ? (third & 0x20 ? 12 : 10) : 8
  const short = `av01.${second >> 5}.${level}${third & 0x80 ? 'H' : 'M'}.${twoDigits(bits)}`
  const colour = boxes.find(({ type, content: at }) => type === 'colr' && init.toString('latin1', at, at + 4) === 'nclx')
  const [primaries = 0, transfer = 0, matrix = 0] = colour ? [4, 6, 8].map((at) => init.readUInt16BE(colour.content + at)) : []
  if (!HDR_TRANSFERS.includes(transfer)) return short
  const [mono, across, down] = [0x10, 0x08, 0x04].map((flag) => Number((third & flag) !== 0))
  // The chroma sample position is stated only for 4:2:0.
  const place = across && down ? third & 0x03 : 0
  const isFull = (init[(colour?.content ?? 0) + 10] ?? 0) >> 7
  return [short, mono, `${across}${down}${place}`, ...[primaries, transfer, matrix].map(twoDigits), isFull].join('.')
}

/** PQ and HLG (ISO/IEC 23091-2). A player takes a short codec string for an SDR picture's. */
const HDR_TRANSFERS = [16, 18]
const twoDigits = (value: number) => String(value).padStart(2, '0')

/**
 * Returns a segment from ffmpeg's muxer with its times later by `ticks`: the muxer counts each chunk's times from 0. Throws for an
 * incomplete segment: when a disk is full for a moment, ffmpeg omits data without an error.
 */
export function shiftFragment(file: Buffer, ticks: number): Buffer {
  const segment = Buffer.from(file)
  const boxes = boxesOf(segment)
  // The segment's index is for progressive playback, and has its own times.
  for (const box of boxes) if (box.type === 'sidx') clear(segment, box)
  const { content } = boxOf(boxes, 'tfdt')
  if (segment[content] !== 1) throw new Error('the decode time of a fragment has 32 bits')
  segment.writeBigUInt64BE(segment.readBigUInt64BE(content + 4) + BigInt(ticks), content + 4)
  const data = boxes.filter(({ type }) => type === 'mdat').reduce((sum, box) => sum + box.end - box.content, 0)
  const samples = sampleBytes(segment, boxes)
  if (data === 0 || data !== samples) throw new Error(`a segment has ${data} bytes of samples instead of ${samples}`)
  return segment
}

/** Flags of `trun` and `tfhd` (§8.8.7, §8.8.8), with the bytes of the fields that they add. */
const TRUN = { dataOffset: 0x1, firstFlags: 0x4, duration: 0x100, size: 0x200, flags: 0x400, time: 0x800 }
const TFHD = { base: 0x1, description: 0x2, duration: 0x8, size: 0x10 }

/** Returns the bytes of all samples that a segment lists. */
function sampleBytes(segment: Buffer, boxes: readonly Box[]): number {
  const usual = usualSize(segment, boxOf(boxes, 'tfhd'))
  let total = 0
  for (const { content } of boxes.filter(({ type }) => type === 'trun')) {
    const flags = segment.readUInt32BE(content) & 0xffffff
    const has = (flag: number) => (flags & flag ? 4 : 0)
    const count = segment.readUInt32BE(content + 4)
    const first = content + 8 + has(TRUN.dataOffset) + has(TRUN.firstFlags)
    const each = has(TRUN.duration) + has(TRUN.size) + has(TRUN.flags) + has(TRUN.time)
    for (let at = 0; at < count; at++) total += flags & TRUN.size ? segment.readUInt32BE(first + at * each + has(TRUN.duration)) : usual
  }
  return total
}

function usualSize(segment: Buffer, { content }: Box): number {
  const flags = segment.readUInt32BE(content) & 0xffffff
  if (!(flags & TFHD.size)) return 0
  const before = (flags & TFHD.base ? 8 : 0) + (flags & TFHD.description ? 4 : 0) + (flags & TFHD.duration ? 4 : 0)
  return segment.readUInt32BE(content + 8 + before)
}

/** What ffmpeg's MPEG-TS muxer adds to all times: twice its delay of 0.7 s. Audio is in MPEG-TS. */
const MPEG_TS_DELAY_SEC = 1.4

/** Returns a segment as it is stored. Throws for an incomplete one. */
export type PrepareFragment = (quality: string, file: Buffer) => Buffer

/** Returns how the segments of an AV1 chunk, which ffmpeg wrote to `folder`, get their times in the video. Undefined for H.264. */
export function fragmentsOf(plan: TranscodePlan, { startFrame }: Chunk, folder: string): PrepareFragment | undefined {
  if (!plan.codec) return undefined
  const rate = parseRate(plan.facts.frameRate.text)
  const shifts = new Map<string, number>()
  const shiftOf = (quality: string): number => {
    const { timescale } = readInit(readFileSync(initFile(folder, quality)))
    return Math.round(((startFrame * rate.seconds) / rate.frames + TIME_OFFSET_SEC + MPEG_TS_DELAY_SEC) * timescale)
  }
  return (quality, file) => {
    const shift = shifts.get(quality) ?? shiftOf(quality)
    shifts.set(quality, shift)
    return shiftFragment(file, shift)
  }
}

/** Reads what the initialization section of a rendition states. */
export const readTrack = async (folder: string, quality: string): Promise<FragmentedTrack> =>
  readInit(await readFile(initFile(folder, quality)))
