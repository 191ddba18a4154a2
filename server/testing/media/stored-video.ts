import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountCtx } from '../../context.ts'
import { masterPlaylistUrl } from '../../modules/delivery/sessions/media-permit.ts'
import { newTokenId } from '../../modules/delivery/tokens/token.ts'
import { newContentKey, sealContentKey, streamKey } from '../../modules/transcoding/encode/content-key.ts'
import { readInit, shiftFragment } from '../../modules/transcoding/encode/fragmented-mp4.ts'
import { encryptSegment } from '../../modules/transcoding/encode/segment-store.ts'
import { makeIframes } from '../../modules/transcoding/pictures/iframes.ts'
import { av1Arguments } from '../../modules/transcoding/plan/encoders.ts'
import { hdrColors, tagColors } from '../../modules/transcoding/probe/source-colors.ts'
import { putCaptions } from '../../modules/videos/captions/captions.ts'
import { FRAGMENT, segmentKey } from '../../modules/videos/media-keys.ts'
import type { DynamicRange } from '../../modules/videos/presenter.ts'
import { db } from '../../platform/database/database.ts'
import { av1Program } from '../../platform/ffmpeg/ffmpeg-programs.ts'
import { storage } from '../../platform/storage/storage.ts'
import { makeVideo } from '../make.ts'
import { makeCaptioned } from './captioned-picture.ts'
import { keepMediaFile, makeMediaFolder } from './media-files.ts'
import { withOneKey } from './one-key.ts'

export interface StoredSpec {
  seconds: number
  /** Frames per second. */
  rate: number
  /** In the renditions, as in videos from before audio was stored separately; one tone. */
  muxed?: boolean
  /** Tracks separate from the video, the default first. */
  tracks?: readonly { name: string; language: string | null; pitch: number }[]
  captions?: boolean
  /** Captions in the picture, on channel CC1. */
  captioned?: boolean
  /** Keyframe playlists: of the lowest rendition. */
  iframes?: boolean
  /** Renditions in AV1 next to those of H.264, of this dynamic range. */
  av1?: DynamicRange
  /** One key for all streams, as in videos of an early version. */
  oneKey?: boolean
}

/** The caption of a picture with captions. */
export const CAPTION = 'THE HARBOUR AT DAWN'

const SEGMENT_SEC = 2
/** The first time in MPEG-TS with the offset below. */
const TS_START_SEC = 11.4
/** Main profile, level 2.1. */
const H264 = 'avc1.4d4015'
const AAC = 'mp4a.40.2'
const SIZES = [
  ['240p', 426, 240],
  ['144p', 256, 144],
] as const

/**
 * Creates a COMPLETED video whose segments ffmpeg cuts and this function encrypts and stores, independent of transcoding. Returns its ID
 * and its master playlist's URL.
 */
export async function storeVideo(ctx: AccountCtx, spec: StoredSpec, { renditions = 2 } = {}): Promise<{ id: string; master: string }> {
  const { seconds, rate, muxed = false, tracks = [], captions = false, captioned = false, iframes = false, av1, oneKey = false } = spec
  const sizes = SIZES.slice(0, renditions)
  const id = await makeVideo(ctx, { qualities: sizes.map(([quality]) => quality), durationSec: seconds })
  const key = newContentKey()
  await db().media.update({ where: { id }, data: { contentKey: sealContentKey(key, id) } })
  const tone = (pitch: number) => ['-f', 'lavfi', '-i', `sine=frequency=${pitch}:sample_rate=48000:duration=${seconds}`]
  const aac = ['-c:a', 'aac', '-ac', '2']
  const test = (size: string) => ['-f', 'lavfi', '-i', `testsrc2=size=${size}:rate=${rate}:duration=${seconds}`]
  const source = captioned ? await captionedFile(test('426x240'), rate) : undefined
  if (source) {
    await db().media.update({ where: { id }, data: { closedCaptions: ['CC1'] } })
  }
  for (const [quality, width, height] of sizes) {
    const picture = source ? ['-i', source] : test(`${width}x${height}`)
    const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-profile:v', 'main', '-level', '2.1', '-pix_fmt', 'yuv420p']
    const groups = ['-bf', '2', '-sc_threshold', '0', '-g', String(rate * SEGMENT_SEC)]
    const encoded = [...h264, '-s', `${width}x${height}`, ...groups, ...(muxed ? aac : [])]
    const stored = await store(id, streamKey(key, quality), [...picture, ...(muxed ? tone(440) : []), ...encoded])
    const codecs = muxed ? `${H264},${AAC}` : H264
    const rendition = { quality, width, height, codecs, ...stored }
    await db().rendition.create({ data: { mediaId: id, frameRate: rate, ...rendition } })
    if (!iframes || quality !== sizes.at(-1)?.[0]) continue
    const cut = await makeIframes({ mediaId: id, contentKey: key, rendition, signal: new AbortController().signal })
    for (const one of cut.iframes) await db().iframeRendition.create({ data: { mediaId: id, ...one } })
  }
  for (const [position, { name, language, pitch }] of tracks.entries()) {
    const stored = await store(id, streamKey(key, `audio-${position}`), [...tone(pitch), ...aac])
    await db().audioRendition.create({
      data: { mediaId: id, position, language, name, isDefault: position === 0, channels: 2, codecs: AAC, ...stored },
    })
  }
  if (av1) await addAv1(id, key, { sizes, seconds, rate, range: av1 })
  if (oneKey) await withOneKey(id)
  const text = 'WEBVTT\n\n00:00.500 --> 00:02.000\nThe harbour at dawn.\n'
  if (captions) await putCaptions(ctx, { videoId: id, language: 'en', label: 'English', text, expected: null })
  return { id, master: masterPlaylistUrl(id, seconds, { number: 0, tokenId: newTokenId() }).url }
}

async function captionedFile(source: string[], rate: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-picture-'))
  try {
    const path = join(folder, 'captioned.mp4')
    // It ends in the first segment: hls.js loses one that is shown while it cancels the request of the next segment and sends another.
    await makeCaptioned(path, { source, rate: String(rate), captions: [{ frame: 0, text: CAPTION }] })
    return await keepMediaFile(path, 'captioned.mp4')
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Adds renditions in AV1 to media. */
async function addAv1(
  mediaId: string,
  key: Buffer,
  { sizes, seconds, rate, range }: { sizes: readonly (typeof SIZES)[number][]; seconds: number; rate: number; range: DynamicRange },
) {
  for (const [quality, width, height] of sizes) {
    const test = ['-f', 'lavfi', '-i', `testsrc2=size=${width}x${height}:rate=${rate}:duration=${seconds}`, '-vf', PICTURES[range]]
    const av1 = av1Arguments({ threads: 1, group: rate * SEGMENT_SEC, rateFactors: [50] })
    const stored = await store(mediaId, streamKey(key, `av1-${quality}`), [...test, ...av1], { fragmented: true })
    const { codecs } = readInit(stored.init as Buffer)
    const rendition = { quality, width, height, frameRate: rate, codecs, ...stored }
    await db().rendition.create({ data: { mediaId, codec: 'av1', ...rendition } })
  }
}

const PICTURES: Record<DynamicRange, string> = {
  SDR: 'format=yuv420p',
  PQ: `format=yuv420p10le,${tagColors(hdrColors('pq', {}))}`,
  HLG: `format=yuv420p10le,${tagColors(hdrColors('hlg', {}))}`,
}

/** Cuts the output of these arguments into segments, encrypts and stores them; returns the columns of their row. */
async function store(mediaId: string, key: Uint8Array, source: string[], { fragmented = false } = {}) {
  const type = fragmented ? ['-hls_segment_type', 'fmp4', '-hls_fmp4_init_filename', 'init.mp4'] : ['-output_ts_offset', '10']
  const hls = [...type, '-f', 'hls', '-hls_time', String(SEGMENT_SEC), '-hls_playlist_type', 'vod']
  const names = ['-hls_segment_filename', fragmented ? '%d.m4s' : '%d.ts', 'index.m3u8']
  const folder = await makeMediaFolder([...source, ...hls, ...names], fragmented ? av1Program() : undefined)
  const index = await readFile(join(folder, 'index.m3u8'), 'utf8')
  const track = fragmented ? readInit(await readFile(join(folder, 'init.mp4'))) : undefined
  const segments: [string, number][] = []
  let bytes = 0
  for (const [, sec, file] of index.matchAll(/#EXTINF:([\d.]+),\n(\S+)/g)) {
    const written = await readFile(join(folder, file as string))
    const plain = track ? shiftFragment(written, Math.round(TS_START_SEC * track.timescale)) : written
    const { name: hash, body } = encryptSegment(plain, key, segments.length)
    const name = track ? `${hash}${FRAGMENT}` : hash
    await storage().put(segmentKey(mediaId, name), body)
    segments.push([name, Number(sec)])
    bytes += body.byteLength
  }
  const rate = Math.ceil((8 * bytes) / segments.reduce((sum, [, sec]) => sum + sec, 0))
  return { segments, bytes: BigInt(bytes), bandwidth: rate * 2, averageBandwidth: rate, ...(track && { init: track.init }) }
}
