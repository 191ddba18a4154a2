import { segmentKey } from '../../videos/media-keys.ts'
import { streamKey } from '../encode/content-key.ts'
import { type Picture, readPictures, type SegmentPictures } from '../encode/mpeg-ts.ts'
import { contentName, encryptSegment, putPatiently } from '../encode/segment-store.ts'
import { type MediaSource, readPlainSegment, type SegmentSource } from '../encode/stored-segments.ts'
import { type CaptionChannel, inOrder, noteCaptions } from '../probe/closed-captions.ts'
import { type StoredIframes, type StoredRendition, type StoredSegment, storedList } from '../tasks/store.ts'

interface Input extends MediaSource {
  /** The rendition whose keyframes are stored. */
  rendition: Pick<StoredRendition, 'quality' | 'width' | 'height' | 'codecs' | 'segments'>
  /** Collects the storage key of each segment before it is stored. */
  written?: Set<string>
  signal: AbortSignal
}

/** A rendition's keyframes, and the caption channels in its frames, in order. */
interface Iframes {
  iframes: StoredIframes[]
  closedCaptions: CaptionChannel[]
}

export const NO_IFRAMES: Iframes = { iframes: [], closedCaptions: [] }

/** Segments read or stored concurrently. */
const AT_ONCE = 8
const CLOCK_HZ = 90_000

/**
 * Stores each keyframe of a stored rendition as its own segment, encrypted with its number in its own list. Copies packets
 * without decoding, so that the same rendition yields the same bytes. Throws for a rendition that `readPictures` cannot read.
 */
export async function makeIframes({ rendition, written, signal, ...media }: Input): Promise<Iframes> {
  const source = { ...media, stream: rendition.quality }
  const target = { ...media, stream: `iframes-${rendition.quality}` }
  const channels = new Set<CaptionChannel>()
  const starts: number[] = []
  const stored: { name: string; bytes: number }[] = []
  let elapsedSec = 0
  for (let at = 0; at < rendition.segments.length; at += AT_ONCE) {
    signal.throwIfAborted()
    const batch = rendition.segments.slice(at, at + AT_ONCE)
    const plain = await Promise.all(batch.map(([name], index) => readPlainSegment(source, name, at + index)))
    const bodies: Buffer[] = []
    for (const [index, [, durationSec]] of batch.entries()) {
      const { tables, pictures } = readPictures(plain[index] as Buffer)
      noteCaptions(pictures, channels)
      const keys = pictures.filter(({ isKey }) => isKey)
      for (const key of keys) {
        starts.push(elapsedSec + secondsBetween(keys[0] as Picture, key))
        bodies.push(iframeSegment({ tables, pictures: [key] }, starts.length - 1))
      }
      elapsedSec += durationSec
    }
    const first = stored.length
    stored.push(...(await Promise.all(bodies.map((body, index) => store(target, { body, sequence: first + index, written, signal })))))
  }
  const segments = stored.map(({ name, bytes }, at): StoredSegment => {
    return [name, (starts[at + 1] ?? elapsedSec) - (starts[at] as number), bytes]
  })
  const { quality, width, height, codecs } = rendition
  return { iframes: [{ quality, width, height, ...storedList(codecs, segments) }], closedCaptions: inOrder(channels) }
}

/** Returns the seconds from one frame to a later one. Time stamps wrap around after 33 bits. */
export const secondsBetween = (from: Picture, to: Picture) => ((to.pts - from.pts + 2 ** 33) % 2 ** 33) / CLOCK_HZ

/**
 * Returns a segment with PAT, PMT and one frame. Its first packet states a discontinuity of the counters, since the frames in between are
 * missing. The tables' counters follow the sequence number, because a table with the previous counter counts as its repetition.
 */
export function iframeSegment({ tables, pictures: [picture] }: SegmentPictures, sequence: number): Buffer {
  if (!picture) throw new Error('there is no picture')
  const packets = [...tables, ...picture.packets].map((packet) => Buffer.from(packet))
  for (const [at, packet] of packets.entries()) {
    const counter = at < tables.length ? sequence : at - tables.length
    packet[3] = ((packet[3] as number) & 0xf0) | (counter & 0x0f)
  }
  const first = packets[tables.length] as Buffer
  first[5] = (first[5] as number) | 0x80
  return Buffer.concat(packets)
}

interface Body {
  body: Buffer
  sequence: number
  written: Set<string> | undefined
  signal: AbortSignal
}

async function store({ mediaId, contentKey, stream }: SegmentSource, { body: plain, sequence, written, signal }: Body) {
  const key = contentKey && streamKey(contentKey, stream)
  const { name, body } = key ? encryptSegment(plain, key, sequence) : { name: contentName(plain), body: plain }
  written?.add(segmentKey(mediaId, name))
  await putPatiently(segmentKey(mediaId, name), body, signal)
  return { name, bytes: body.byteLength }
}
