import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { services } from '../../../platform/container.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { provide } from '../../../testing/settings.ts'
import { contentName } from '../../transcoding/encode/segment-store.ts'
import { segmentKey } from '../../videos/media-keys.ts'
import { prepareSegment, readSegment, segmentBytes } from './segment-cache.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'reelgate-segments-'))
const MEGABYTES = 8
provide({ BASE_URL: 'http://localhost', DATA_DIR: dataDir, SEGMENT_MEMORY_MB: String(MEGABYTES) })
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const { pieces } = services().segmentCache
const keyOf = (videoId: string, body: Uint8Array) => segmentKey(videoId, contentName(body))
async function whole(key: string, bytes: number, onPart: (at: number) => void = () => {}): Promise<Buffer> {
  await prepareSegment(key, bytes)
  const parts: Uint8Array[] = []
  for await (const part of readSegment(key, bytes)) {
    // A part may be overwritten once the next is requested.
    parts.push(Buffer.from(part))
    onPart(parts.length)
  }
  return Buffer.concat(parts)
}

it.each([1, 1_000, 262_144, 262_145, 700_000, 1_048_576])(
  'readSegment returns the same %i bytes from storage, from memory, and from both',
  async (bytes) => {
    const body = randomBytes(bytes)
    const key = keyOf('vid_a', body)
    await storage().put(key, body)
    expect(await segmentBytes(key)).toBe(bytes)
    expect((await whole(key, bytes)).equals(body)).toBe(true)
    expect((await whole(key, bytes)).equals(body)).toBe(true)
    // Evicted while the segment is being sent.
    const forget = () => pieces.delete(`${key} 1`)
    expect((await whole(key, bytes, forget)).equals(body)).toBe(true)
    // Cached pieces are served without storage.
    expect((await whole(key, bytes)).equals(body)).toBe(true)
    await storage().delete(key)
    expect((await whole(key, bytes)).equals(body)).toBe(true)
    expect(await segmentBytes('segments/vid_a/none.ts')).toBeUndefined()
  },
)

it.each([1_000, 65_536, 100_000, 300_000, 2_000_000])(
  'readSegment caches segments whatever parts storage returns: %i bytes each',
  async (cut) => {
    const body = randomBytes(700_001)
    const key = keyOf('vid_c', body)
    const disk = storage()
    await disk.put(key, body)
    const read = disk.read
    disk.read = async function* (name, range) {
      const all = body.subarray(range?.start ?? 0, (range?.end ?? body.length - 1) + 1)
      if (name === key) for (let at = 0; at < all.length; at += cut) yield all.subarray(at, at + cut)
    }
    expect(await segmentBytes(key)).toBe(body.length)
    expect((await whole(key, body.length)).equals(body)).toBe(true)
    // From here on no storage request is permitted.
    disk.read = () => {
      throw new Error('storage was read')
    }
    expect((await whole(key, body.length)).equals(body)).toBe(true)
    disk.read = read
  },
)

it('readSegment keeps at most SEGMENT_MEMORY_MB, however much is read', async () => {
  for (let at = 0; at < 10; at++) {
    const body = randomBytes(4 * 1024 ** 2)
    const key = keyOf('vid_b', body)
    await storage().put(key, body)
    await whole(key, body.length)
  }
  expect(pieces.calculatedSize).toBeLessThanOrEqual(MEGABYTES * 1024 ** 2)
})

it('readSegment keeps part of a cyclic working set larger than memory, and admits segments requested more often', async () => {
  const bodies = Array.from({ length: 2 * MEGABYTES }, () => randomBytes(1024 ** 2))
  const keys = bodies.map((body) => keyOf('vid_d', body))
  for (const body of bodies) await storage().put(keyOf('vid_d', body), body)
  const disk = storage()
  const { read } = disk
  let reads: string[] = []
  disk.read = (key, range) => {
    reads.push(key)
    return read(key, range)
  }
  const round = async () => {
    for (const key of keys) await whole(key, 1024 ** 2)
  }
  // Until they were requested more often than the cached ones.
  for (let made = 0; made < 16; made++) await round()
  reads = []
  await round()
  // All but what fits; with eviction by age alone, each would be read from storage again.
  expect(reads.length).toBeLessThanOrEqual(MEGABYTES + 2)
  const [favourite = ''] = reads
  for (let made = 0; made < 25; made++) await whole(favourite, 1024 ** 2)
  reads = []
  await whole(favourite, 1024 ** 2)
  expect(reads).toEqual([])
  disk.read = read
})
