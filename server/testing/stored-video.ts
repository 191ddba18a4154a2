import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountCtx } from '../context.ts'
import { masterPlaylistUrl } from '../modules/playback/media-permit.ts'
import { newTokenId } from '../modules/playback/token-id.ts'
import { newContentKey, sealContentKey } from '../modules/transcoding/content-key.ts'
import { encryptSegment } from '../modules/transcoding/encrypt.ts'
import { putCaptions } from '../modules/videos/captions-put.ts'
import { segmentKey } from '../modules/videos/media-keys.ts'
import { db } from '../platform/database.ts'
import { ffmpeg } from '../platform/ffmpeg.ts'
import { storage } from '../platform/storage/storage.ts'
import { makeVideo } from './make.ts'

export interface StoredSpec {
  seconds: number
  /** Frames per second. */
  rate: number
  /** In the renditions, as videos had it before sound was stored apart; one tone. */
  muxed?: boolean
  /** Tracks apart from the picture, the default first. */
  tracks?: readonly { name: string; language: string | null; pitch: number }[]
  captions?: boolean
}

const SEGMENT_SEC = 2
/** Main profile, level 2.1. */
const H264 = 'avc1.4d4015'
const AAC = 'mp4a.40.2'
const SIZES = [
  ['240p', 426, 240],
  ['144p', 256, 144],
] as const

/**
 * Creates a COMPLETED video whose segments ffmpeg cuts and this function encrypts and stores, independent of the transcoding. Returns its id
 * and the address of its master playlist.
 */
export async function storeVideo(ctx: AccountCtx, spec: StoredSpec, { renditions = 2 } = {}): Promise<{ id: string; master: string }> {
  const { seconds, rate, muxed = false, tracks = [], captions = false } = spec
  const sizes = SIZES.slice(0, renditions)
  const id = await makeVideo(ctx, { qualities: sizes.map(([quality]) => quality), durationSec: seconds })
  const key = newContentKey()
  await db().video.update({ where: { id }, data: { contentKey: sealContentKey(key, id) } })
  const tone = (pitch: number) => ['-f', 'lavfi', '-i', `sine=frequency=${pitch}:sample_rate=48000:duration=${seconds}`]
  const aac = ['-c:a', 'aac', '-ac', '2']
  for (const [quality, width, height] of sizes) {
    const picture = ['-f', 'lavfi', '-i', `testsrc2=size=${width}x${height}:rate=${rate}:duration=${seconds}`]
    const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-profile:v', 'main', '-level', '2.1', '-pix_fmt', 'yuv420p']
    const groups = ['-bf', '2', '-sc_threshold', '0', '-g', String(rate * SEGMENT_SEC)]
    const encoded = [...h264, ...groups, ...(muxed ? aac : [])]
    const stored = await store(id, key, [...picture, ...(muxed ? tone(440) : []), ...encoded])
    const codecs = muxed ? `${H264},${AAC}` : H264
    await db().rendition.create({ data: { videoId: id, quality, width, height, frameRate: rate, codecs, ...stored } })
  }
  for (const [position, { name, language, pitch }] of tracks.entries()) {
    const stored = await store(id, key, [...tone(pitch), ...aac])
    await db().audioRendition.create({
      data: { videoId: id, position, language, name, isDefault: position === 0, channels: 2, codecs: AAC, ...stored },
    })
  }
  const text = 'WEBVTT\n\n00:00.500 --> 00:02.000\nThe harbour at dawn.\n'
  if (captions) await putCaptions(ctx, { videoId: id, language: 'en', label: 'English', text, expected: null })
  return { id, master: masterPlaylistUrl(id, seconds, { number: 0, tokenId: newTokenId() }).url }
}

/** Cuts the output of these arguments into segments, encrypts and stores them; returns the columns of their row. */
async function store(videoId: string, key: Buffer, source: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-stored-'))
  try {
    const hls = ['-output_ts_offset', '10', '-f', 'hls', '-hls_time', String(SEGMENT_SEC), '-hls_playlist_type', 'vod']
    const names = ['-hls_segment_filename', join(folder, '%d.ts'), join(folder, 'index.m3u8')]
    await ffmpeg([...source, ...hls, ...names])
    const index = await readFile(join(folder, 'index.m3u8'), 'utf8')
    const segments: [string, number][] = []
    let bytes = 0
    for (const [, sec, file] of index.matchAll(/#EXTINF:([\d.]+),\n(\S+)/g)) {
      const { name, body } = encryptSegment(await readFile(join(folder, file as string)), key, segments.length)
      await storage().put(segmentKey(videoId, name), body)
      segments.push([name, Number(sec)])
      bytes += body.byteLength
    }
    const rate = Math.ceil((8 * bytes) / segments.reduce((sum, [, sec]) => sum + sec, 0))
    return { segments, bytes: BigInt(bytes), bandwidth: rate * 2, averageBandwidth: rate }
  } finally {
    await rm(folder, { recursive: true })
  }
}
