import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ffmpeg } from '../../platform/ffmpeg/ffmpeg.ts'

/** Text of a pop-on caption, and the frame at which its transmission begins: two characters a frame. */
export interface CaptionAt {
  frame: number
  text: string
  channel?: 'CC1' | 'CC2' | 'CC3'
}

/** Bit rate and rate of ATSC: 20 constructs in each picture at 30 frames a second. */
const CONSTRUCTS = 20
const PADDING: Pair = [0x80, 0x80]
type Pair = [number, number]

/** Encodes these frames as H.264 with captions in SEI messages (CEA-608 in ATSC A/53 part 4), and writes a file of `path`'s format. */
export async function makeCaptioned(
  path: string,
  input: { source: string[]; rate: string; captions: readonly CaptionAt[] },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-captioned-'))
  const [plain, captioned] = [join(folder, 'plain.h264'), join(folder, 'captioned.h264')]
  try {
    const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-x264-params', 'aud=1:slices=1']
    // Pictures are transmitted in the order of display.
    await ffmpeg([...input.source, ...h264, '-bf', '0', '-g', '60', '-f', 'h264', plain])
    await writeFile(captioned, withCaptions(await readFile(plain), input.captions))
    await ffmpeg(['-r', input.rate, '-f', 'h264', '-i', captioned, '-c', 'copy', path])
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Inserts the captions before the first slice of each picture of a byte stream (H.264 annex B) with one slice a picture. */
function withCaptions(stream: Buffer, captions: readonly CaptionAt[]): Buffer {
  const fields = [new Map<number, Pair>(), new Map<number, Pair>()]
  for (const caption of captions)
    for (const [at, pair] of pairsOf(caption).entries()) fields[caption.channel === 'CC3' ? 1 : 0]?.set(caption.frame + at, pair)
  let frame = 0
  const parts = unitsOf(stream).flatMap((unit) => {
    const type = (unit[0] as number) & 0x1f
    if (type !== 1 && type !== 5) return [unit]
    const pairs = fields.map((field) => field.get(frame) ?? PADDING)
    frame++
    return [captionUnit(pairs), unit]
  })
  return Buffer.concat(parts.flatMap((unit) => [Buffer.from([0, 0, 0, 1]), unit]))
}

function unitsOf(stream: Buffer): Buffer[] {
  const starts: number[] = []
  for (let at = stream.indexOf('000001', 0, 'hex'); at >= 0; at = stream.indexOf('000001', at + 3, 'hex')) starts.push(at + 3)
  return starts.map((start, at) => {
    const next = starts[at + 1]
    if (next === undefined) return stream.subarray(start)
    // A start code may have a further zero before it.
    return stream.subarray(start, stream[next - 4] === 0 ? next - 4 : next - 3)
  })
}

/** Frames for which a caption is shown. */
const SHOWN = 30

/** Codes of a caption: resume, erase, bottom row, its text, end of caption; later, erase what is shown. Codes are sent twice. */
function pairsOf({ text, channel = 'CC1' }: CaptionAt): Pair[] {
  const second = channel === 'CC2' ? 0x08 : 0
  const code = (first: number, last: number): Pair[] => [
    [odd(first | second), odd(last)],
    [odd(first | second), odd(last)],
  ]
  const letters = Array.from({ length: Math.ceil(text.length / 2) }, (_, at): Pair => {
    return [odd(text.charCodeAt(2 * at)), odd(text.charCodeAt(2 * at + 1) || 0)]
  })
  const control = channel === 'CC3' ? 0x15 : 0x14
  const shown = Array.from({ length: SHOWN }, () => PADDING)
  const begin = [...code(control, 0x20), ...code(control, 0x2e), ...code(0x14, 0x60)]
  return [...begin, ...letters, ...code(control, 0x2f), ...shown, ...code(control, 0x2c)]
}

/** Sets the high bit where it makes the number of ones odd. */
function odd(value: number): number {
  let ones = 0
  for (let bits = value; bits > 0; bits >>= 1) ones += bits & 1
  return ones % 2 === 1 ? value : value | 0x80
}

/** Returns an SEI message of user data (H.264 §D.1.6) with these pairs for the two fields; the rest is padding of CEA-708. */
function captionUnit(pairs: readonly Pair[]): Buffer {
  const constructs = [
    ...pairs.flatMap(([first, second], field) => [0xfc | field, first, second]),
    ...Array.from({ length: CONSTRUCTS - pairs.length }, () => [0xfa, 0, 0]).flat(),
  ]
  const data = [0xb5, 0x00, 0x31, ...Buffer.from('GA94'), 0x03, 0x40 | CONSTRUCTS, 0xff, ...constructs, 0xff]
  return Buffer.from([0x06, ...escaped([0x04, data.length, ...data, 0x80])])
}

/** Inserts a 3 where data would look like a start code (H.264 §7.4.1). */
function escaped(data: readonly number[]): number[] {
  let zeros = 0
  return data.flatMap((byte) => {
    const emulates = zeros >= 2 && byte <= 3
    zeros = byte === 0 ? (emulates ? 0 : zeros) + 1 : 0
    return emulates ? [3, byte] : [byte]
  })
}
