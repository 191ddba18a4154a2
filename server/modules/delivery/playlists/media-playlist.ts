import { ServiceError } from '../../../errors.ts'
import { hasStreamKeys } from '../../transcoding/encode/content-key.ts'
import { contentName } from '../../transcoding/encode/segment-store.ts'
import { renditionName } from '../../videos/codecs-schema.ts'
import { isFreshExpiry, keyAddress, keyExpiry, steadyKeyExpiry } from '../segments/key-url.ts'
import { fromMemory, type Segment } from '../segments/segment.ts'
import type { SegmentList } from '../segments/segment-list.ts'
import { liveSessions } from '../sessions/live-sessions.ts'
import { openMediaPermit } from '../sessions/media-permit.ts'
import type { AudioStream, IframeStream, RenditionStream, VideoStreams } from './media-streams.ts'
import { requireOffered } from './offered.ts'
import { streamsNamed } from './streams.ts'

/** A media playlist: the lines of `segments` are between `head` and `end`, and are the same object for all viewers. */
export interface MediaPlaylist {
  head: string
  segments: SegmentList
  end: string
  /** When its key URL expires, in Unix seconds. Undefined without a key. */
  keyExpiry: number | undefined
}

interface MediaInput {
  videoId: string
  permit: string
  /** A rendition's name, `audio-` and a track's position, or `iframes-` and a quality; then the `suffix` of its set of streams. */
  stream: string
  /** Expiry of the key URL in the copy that the caller holds. Its playlist has the same URL while that stays valid. */
  heldKeyExpiry?: number
}

/**
 * Returns the playlist of one rendition's or one audio track's segments, with a key URL issued for this response. Errors:
 * PLAYBACK_TOKEN_INVALID, PLAYBACK_TOKEN_EXPIRED, PLAYBACK_NOT_ALLOWED, VIDEO_NOT_FOUND, NOT_FOUND for a stream it does not have.
 */
export async function mediaPlaylist({ videoId, permit, stream, heldKeyExpiry }: MediaInput): Promise<MediaPlaylist> {
  const session = await openMediaPermit(videoId, permit, 'session')
  const { streams, name } = await streamsNamed(videoId, stream)
  const found = segmentsOf(streams, name)
  if (!found)
    throw new ServiceError('NOT_FOUND', { message: 'This video has no such stream. The master playlist lists the streams it has.' })
  const { segments, name: listed } = found
  if (session && 'quality' in segments) await requireOffered(videoId, streams, segments.quality, session)
  const kind = { ...found.kind, ...('init' in segments && segments.init ? { initName: initName(stream) } : {}) }
  if (session) liveSessions().note(videoId, session)
  const { contentKey, mediaId } = streams
  if (!contentKey) return { ...renderMedia(segments, kind), keyExpiry: undefined }
  // A player that reloads a playlist fetches a key again under each new URL.
  const fresh = streams.isWhole ? keyExpiry() : steadyKeyExpiry()
  const expiry = heldKeyExpiry !== undefined && isFreshExpiry(heldKeyExpiry) ? heldKeyExpiry : fresh
  const key = keyAddress(videoId, session, expiry, { mediaId, stream: hasStreamKeys(contentKey) ? listed : undefined })
  return { ...renderMedia(segments, kind, key), keyExpiry: expiry }
}

interface Listed {
  /** Name of the stream whose segments they are. */
  name: string
  segments: RenditionStream | AudioStream | IframeStream
  kind: ListKind
}

function segmentsOf({ renditions, audio, iframes, ...kind }: VideoStreams, stream: string): Listed | undefined {
  const [, of, which] = /^(audio|iframes)-(\w{1,10})$/.exec(stream) ?? []
  if (of === 'audio') {
    const track = audio.find(({ position }) => String(position) === which)
    return track && { name: stream, segments: track, kind }
  }
  if (of === 'iframes') {
    const frames = iframes.find(({ quality }) => quality === which)
    // Keyframes are stored once the video is complete, so their playlist never grows.
    return frames && { name: stream, segments: frames, kind: { isWhole: true, playedEarly: false, iframesOnly: true } }
  }
  const rendition = renditionNamed(renditions, stream, kind)
  return rendition && { name: renditionName(rendition), segments: rendition, kind }
}

/**
 * Returns the rendition of a quality. A quality that was left out when the video became complete gets the segments of the next higher one,
 * which start at the same times, so that a session playing it continues.
 */
function renditionNamed(
  renditions: readonly RenditionStream[],
  name: string,
  { isWhole, playedEarly }: Pick<VideoStreams, 'isWhole' | 'playedEarly'>,
): RenditionStream | undefined {
  const exact = renditions.find((one) => renditionName(one) === name)
  if (exact || !isWhole || !playedEarly || !/^\d{1,5}p$/.test(name)) return exact
  const side = Number.parseInt(name, 10)
  return renditions.findLast(({ codec, width, height }) => codec === 'h264' && Math.min(width, height) > side)
}

/** What a playlist states about all its segments. */
interface ListKind extends Pick<VideoStreams, 'isWhole' | 'playedEarly'> {
  /** Each segment is a keyframe, shown until the next one. */
  iframesOnly?: boolean
  /** File name of the initialization section that its fragmented MP4 segments start with. */
  initName?: string
}

/** Returns the name of a stream's initialization section, next to its playlist. */
const initName = (stream: string) => `init-${stream}.mp4`

/** Returns a rendition's initialization section in fragmented MP4, which is not encrypted. Errors: as `mediaPlaylist`. */
export async function initSection({ videoId, permit, stream }: Omit<MediaInput, 'heldKeyExpiry'>): Promise<Segment> {
  const session = await openMediaPermit(videoId, permit, 'session')
  const { streams, name } = await streamsNamed(videoId, stream)
  const rendition = streams.renditions.find((one) => renditionName(one) === name)
  if (rendition && session) await requireOffered(videoId, streams, rendition.quality, session)
  const { init } = rendition ?? {}
  if (!init) throw new ServiceError('NOT_FOUND', { message: 'This video has no such initialization section.' })
  return fromMemory(init, contentName(init))
}

/**
 * Renders RFC 8216 §4.3.2–4.3.3. Without an IV attribute, a player uses the media sequence number, which starts at 0. A playlist that can
 * grow, or could when it was first loaded, differs from its previous versions only by appended lines (§6.2.1).
 */
export function renderMedia(
  segments: SegmentList,
  { isWhole, playedEarly, iframesOnly, initName }: ListKind,
  keyUrl?: string,
): Omit<MediaPlaylist, 'keyExpiry'> {
  const type = playedEarly ? 'EVENT' : 'VOD'
  const head = `#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:${segments.targetDuration}\n#EXT-X-MEDIA-SEQUENCE:0\n#EXT-X-PLAYLIST-TYPE:${type}\n`
  const start = playedEarly ? '#EXT-X-START:TIME-OFFSET=0\n' : ''
  const only = iframesOnly ? '#EXT-X-I-FRAMES-ONLY\n' : ''
  // Before the key: what comes after it would be taken for encrypted (RFC 8216 §4.3.2.5).
  const map = initName ? `#EXT-X-MAP:URI="${initName}"\n` : ''
  const key = keyUrl ? `#EXT-X-KEY:METHOD=AES-128,URI="${keyUrl}"\n` : ''
  return { head: `${head}#EXT-X-INDEPENDENT-SEGMENTS\n${start}${only}${map}${key}`, segments, end: isWhole ? '#EXT-X-ENDLIST\n' : '' }
}
