import { isServiceError } from '../../errors.ts'
import { serviceNow } from '../../platform/database/clock.ts'
import { query } from '../../platform/database/database.ts'
import { ffmpeg } from '../../platform/ffmpeg/ffmpeg.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { SERVICE } from '../audit/content-access.ts'
import { masterPlaylist } from '../delivery/playlists/master-playlist.ts'
import { initSection, mediaPlaylist } from '../delivery/playlists/media-playlist.ts'
import { streamsOf } from '../delivery/playlists/streams.ts'
import { openKeyUrl } from '../delivery/segments/content-key.ts'
import { keyQuery } from '../delivery/segments/key-url.ts'
import { findSegment } from '../delivery/segments/segment.ts'
import { exchangeToken } from '../delivery/sessions/exchange.ts'
import { signToken } from '../delivery/tokens/token.ts'
import { hashObject } from '../media/hash-object.ts'
import { openContentKey, streamKey } from '../transcoding/encode/content-key.ts'
import { decryptSegment } from '../transcoding/encode/segment-store.ts'
import { hashNameOf } from '../videos/media-faults.ts'
import { FRAGMENT, segmentFileName, segmentKey } from '../videos/media-keys.ts'

/** A segment of a stored video, by its name, which is its hash. */
export interface SampledSegment {
  videoId: string
  mediaId: string
  name: string
}

/**
 * Plays each segment as a player does: token, exchange, playlists, key, decryption; then decodes its picture with ffmpeg. Returns one line
 * for each segment that does not play.
 */
export async function playSegments(segments: readonly SampledSegment[], signal: AbortSignal): Promise<string[]> {
  const faults: string[] = []
  for (const [mediaId, ofMedia] of Map.groupBy(segments, (one) => one.mediaId)) {
    const { videoId } = ofMedia[0] as SampledSegment
    const streams = await openMedia(videoId, mediaId).catch((error: Error) => {
      faults.push(`${videoId} cannot be played: ${error.message}`)
      return undefined
    })
    if (!streams) continue
    for (const { name } of ofMedia) {
      signal.throwIfAborted()
      await playSegment(mediaId, name, streams, signal).catch((error: Error) => {
        signal.throwIfAborted()
        faults.push(`segment ${name} of ${videoId}: ${error.message}`)
      })
    }
  }
  return faults
}

/** What a player needs of each segment of media: its position, its stream's key, and what it starts with if it is fragmented MP4. */
type Streams = Map<string, { at: number; key: Uint8Array | undefined; init: Buffer | undefined }>

/** Opens media through the functions behind the public URLs. What viewers cannot get, it opens with the stored key. */
async function openMedia(videoId: string, mediaId: string): Promise<Streams> {
  try {
    return (await openAsViewer(videoId, mediaId)) ?? (await openStored(mediaId))
  } catch (error) {
    if (isServiceError(error) && error.code === 'VIDEO_NOT_FOUND') return openStored(mediaId)
    throw error
  }
}

/** Undefined for media that the video does not play. */
async function openAsViewer(videoId: string, mediaId: string): Promise<Streams | undefined> {
  if ((await streamsOf(videoId)).mediaId !== mediaId) return undefined
  const token = signToken(SERVICE, { videoId, jti: newId('tok'), iat: Math.floor(serviceNow() / 1_000) })
  const { data } = await exchangeToken({ token, videoId })
  const permit = new URL(data.masterPlaylistUrl).pathname.split('/').at(-2) ?? ''
  const master = await masterPlaylist({ videoId, permit })
  const streams: Streams = new Map()
  const listed = master.matchAll(/(?:^|URI=")((?:\w+-)?\w+p(?:-vid_\w+)?|audio-\d+(?:-vid_\w+)?)\.m3u8/gm)
  for (const stream of new Set([...listed].map(([, name = '']) => name))) {
    const { head, segments } = await mediaPlaylist({ videoId, permit, stream })
    const address = /^#EXT-X-KEY:METHOD=AES-128,URI="([^"]+)"$/m.exec(head)?.[1]
    const key = address && (await keyAt(videoId, new URL(address).searchParams))
    const init = head.includes('#EXT-X-MAP') ? await bytesOf(await initSection({ videoId, permit, stream })) : undefined
    const files = [...segments.lines.matchAll(/\/([0-9a-f]{32})(\.ts|\.m4s)$/gm)]
    for (const [at, [, hash = '', ending]] of files.entries()) {
      streams.set(ending === FRAGMENT ? `${hash}${ending}` : hash, { at, key: key || undefined, init })
    }
  }
  return streams
}

/** Opens a key URL without noting its use, which would store a row. */
const keyAt = async (videoId: string, query: URLSearchParams) =>
  (await openKeyUrl({ videoId, mediaId: query.get('media'), ...keyQuery(query) })).key

interface Stored {
  encrypted: boolean
  key: Buffer | null
  lists: { stream: string; segments: [string, number][] }[] | null
  /** By stream. */
  inits: Record<string, string> | null
  [column: string]: unknown
}

const STORED = `
  SELECT m.encrypted, m.content_key AS key,
    (SELECT json_agg(json_build_object('stream', l.stream, 'segments', l.segments)) FROM segment_list l WHERE l.media_id = m.id) AS lists,
    (SELECT json_object_agg(r.codec || '-' || r.quality, encode(r.init, 'base64'))
      FROM rendition r WHERE r.media_id = m.id AND r.init IS NOT NULL) AS inits
  FROM media m WHERE m.id = $1`

/** Former media, or media of a video that was taken down, is deleted but can be restored, or belongs to a suspended account. */
async function openStored(mediaId: string): Promise<Streams> {
  const [row] = await query<Stored>('drill-stored', STORED, [mediaId])
  if (!row) throw new Error('its row is missing')
  const contentKey = row.encrypted && row.key ? openContentKey(row.key, mediaId) : undefined
  const found = (row.lists ?? []).flatMap(({ stream, segments }) => {
    const key = contentKey && streamKey(contentKey, stream)
    const section = row.inits?.[stream]
    const init = section === undefined ? undefined : Buffer.from(section, 'base64')
    return segments.map(([name], at) => [name, { at, key, init }] as const)
  })
  return new Map(found)
}

async function bytesOf(found: { read(): AsyncIterable<Uint8Array> }): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of found.read()) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

async function playSegment(mediaId: string, name: string, streams: Streams, signal: AbortSignal): Promise<void> {
  const listed = streams.get(name)
  if (!listed) throw new Error('no playlist lists it')
  const { at, key, init } = listed
  // The service would request a damaged segment's repair, and say so.
  const { hash } = await hashObject(segmentKey(mediaId, name))
  if (!hash.startsWith(hashNameOf(segmentKey(mediaId, name)))) throw new Error('its content has changed')
  const found = await findSegment({ mediaId, segment: segmentFileName(name) })
  if (!('read' in found)) throw new Error('another path serves it')
  const stored = await bytesOf(found)
  const plain = key ? decryptSegment(stored, key, at) : stored
  await decode(init ? { format: 'mp4', bytes: Buffer.concat([init, plain]) } : { format: 'mpegts', bytes: plain }, signal)
}

/** Decodes a segment's video and audio. Throws if there is none, or it is damaged. */
async function decode({ format, bytes }: { format: 'mpegts' | 'mp4'; bytes: Buffer }, signal: AbortSignal): Promise<void> {
  let frames = 0
  const onLine = (line: string) => {
    if (!line.startsWith('#')) frames++
  }
  async function* input() {
    yield bytes
  }
  const args = ['-xerror', '-f', format, '-i', 'pipe:0', '-map', '0', '-f', 'framecrc', 'pipe:1']
  await ffmpeg(args, { input: input(), onLine, signal, only: { reads: [], writes: [] } })
  if (frames === 0) throw new Error('it has neither video nor audio')
}
