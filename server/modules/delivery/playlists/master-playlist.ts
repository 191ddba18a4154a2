import { automaticLabel } from '../../videos/captions/automatic-label.ts'
import { languageOf } from '../../videos/captions/captions.ts'
import { renditionName } from '../../videos/codecs-schema.ts'
import { uniqueName } from '../../videos/edit-video.ts'
import { dynamicRangeOf } from '../../videos/presenter.ts'
import { liveSessions } from '../sessions/live-sessions.ts'
import { openMediaPermit } from '../sessions/media-permit.ts'
import type { SessionPolicy } from '../tokens/policy.ts'
import type { AudioStream, CaptionTrack, IframeStream, RenditionStream } from './media-streams.ts'
import { offeredIn } from './offered.ts'
import { streamsOf } from './streams.ts'

interface MasterInput {
  videoId: string
  permit: string
  /**
   * Adds a last variant that is audio-only, for slow connections. `qualities` lists the others (specification §2.3), so it is not part of
   * the default.
   */
  withAudioOnly?: boolean
}

/**
 * Returns the playlist of renditions, highest first. Its entries are relative URLs under the same permit. Errors: PLAYBACK_TOKEN_INVALID,
 * PLAYBACK_TOKEN_EXPIRED, VIDEO_NOT_FOUND.
 */
export async function masterPlaylist({ videoId, permit, withAudioOnly }: MasterInput): Promise<string> {
  const session = await openMediaPermit(videoId, permit, 'session')
  const streams = await streamsOf(videoId)
  if (session) liveSessions().note(videoId, session)
  return renderMaster(session ? offered(streams, session.terms) : streams, withAudioOnly)
}

/** Leaves out the renditions that the session's policy does not offer. */
function offered<Streams extends MasterStreams>(streams: Streams, terms: SessionPolicy): Streams {
  if (terms.maxHeight === undefined) return streams
  const { renditions, iframes } = streams
  const qualities = offeredIn(streams, terms)
  const isOffered = ({ quality }: { quality: string }) => qualities.has(quality)
  return { ...streams, renditions: renditions.filter(isOffered), iframes: iframes.filter(isOffered) }
}

interface MasterStreams {
  /** Suffix of its playlists' names. */
  suffix?: string
  renditions: readonly RenditionStream[]
  audio: readonly AudioStream[]
  captions: readonly CaptionTrack[]
  iframes: readonly IframeStream[]
  closedCaptions: readonly string[]
}

/**
 * Renders RFC 8216 §4.3.4.1–4.3.4.3. Captions are off until chosen: none is a default. Audio that is not in the renditions is a group,
 * which every rendition plays. Keyframes come last, because they are not variants.
 */
export function renderMaster(streams: MasterStreams, withAudioOnly = false): string {
  const { renditions, audio, captions, iframes, closedCaptions, suffix = '' } = streams
  const audioGroup = audio.length > 0 ? ',AUDIO="audio"' : ''
  // Safari offers captions that do not exist unless the playlist says that there are none.
  const groups = `${audioGroup}${captions.length > 0 ? ',SUBTITLES="captions"' : ''},CLOSED-CAPTIONS=${closedCaptions.length > 0 ? '"cc"' : 'NONE'}`
  const peak = Math.max(0, ...audio.map(({ bandwidth }) => bandwidth))
  const average = Math.max(0, ...audio.map(({ averageBandwidth }) => averageBandwidth ?? 0))
  const audioCodecs = audio.map(({ codecs }) => codecs)
  // Not stated if none is HDR, because its absence means SDR.
  const isHdr = renditions.some(({ codecs }) => dynamicRangeOf(codecs) !== 'SDR')
  // H.264 comes first, for players that play the first variant.
  const variants = renditions.map(({ codec, quality, width, height, bandwidth, averageBandwidth, codecs, frameRate }) => {
    const rates = ratesOf(bandwidth + peak, averageBandwidth && averageBandwidth + average)
    const range = isHdr ? `,VIDEO-RANGE=${dynamicRangeOf(codecs)}` : ''
    const picture = `RESOLUTION=${width}x${height},FRAME-RATE=${frameRate.toFixed(3)}${range}`
    return `#EXT-X-STREAM-INF:${rates},${picture},${codecsOf(codecs, ...audioCodecs)}${groups}\n${renditionName({ codec, quality })}${suffix}.m3u8\n`
  })
  const preferred = audio.find(({ isDefault }) => isDefault) ?? audio[0]
  if (preferred && withAudioOnly) {
    const rates = ratesOf(peak, preferred.averageBandwidth && average)
    variants.push(`#EXT-X-STREAM-INF:${rates},${codecsOf(...audioCodecs)}${groups}\n${audioFile(preferred, suffix)}\n`)
  }
  const head = '#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-INDEPENDENT-SEGMENTS\n'
  const names = new Set<string>()
  const subtitles = captions.map((one) => captionTrack({ ...one, label: uniqueName(nameOf(one), names) }, suffix))
  const media = [...audioTracks(audio, preferred, suffix), ...subtitles, ...closedCaptions.map(closedCaptionTrack)]
  return [head, ...media, ...variants, ...iframes.map((one) => iframeStream(one, suffix))].join('')
}

const ratesOf = (peak: number, average: number | undefined) =>
  `BANDWIDTH=${peak}${average === undefined ? '' : `,AVERAGE-BANDWIDTH=${average}`}`

const codecsOf = (...lists: string[]) => `CODECS="${[...new Set(lists.flatMap((list) => list.split(',')))].join(',')}"`

const audioFile = ({ position }: AudioStream, suffix: string) => `audio-${position}${suffix}.m3u8`

/** A player selects a track without the viewer only if its language alone decides: the default, and the first track of another language. */
function audioTracks(audio: readonly AudioStream[], preferred: AudioStream | undefined, suffix: string): string[] {
  const languages = new Set(preferred ? [preferred.language] : [])
  return audio.map((track) => {
    const isDefault = track === preferred
    const isSelected = isDefault || (track.language !== null && !languages.has(track.language))
    languages.add(track.language)
    const language = track.language ? `,LANGUAGE="${quotable(track.language)}"` : ''
    const chosen = `DEFAULT=${isDefault ? 'YES' : 'NO'},AUTOSELECT=${isSelected ? 'YES' : 'NO'}`
    const named = `NAME="${quotable(track.name)}"${language},${chosen},CHANNELS="${track.channels}"`
    return `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="audio",${named},URI="${audioFile(track, suffix)}"\n`
  })
}

/** Replaces what an attribute cannot contain (RFC 8216 §4.2): names come from the uploaded file. */
const quotable = (text: string) => text.replaceAll('"', "'").replace(/\p{Cc}+/gu, ' ')

/** The rendition was authored by a program (draft-pantos-hls-rfc8216bis §4.4.6.1). */
const MACHINE = ',CHARACTERISTICS="public.machine-generated"'

const nameOf = ({ label, language, automatic }: CaptionTrack) => (automatic ? automaticLabel(label, language) : label)

/** More captions in a language state it like the first ones, but only the viewer can select them. */
function captionTrack({ language, label, automatic }: CaptionTrack, suffix: string): string {
  const stated = languageOf(language)
  const named = `NAME="${label}",LANGUAGE="${stated}",DEFAULT=NO,AUTOSELECT=${stated === language ? 'YES' : 'NO'},FORCED=NO${automatic ? MACHINE : ''}`
  return `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",${named},URI="captions-${language}${suffix}.m3u8"\n`
}

/** Captions in the picture state no language. Two of them have different names, as a group requires (§4.3.4.1.1). */
function closedCaptionTrack(channel: string, at: number): string {
  const name = at === 0 ? 'Closed captions' : `Closed captions ${at + 1}`
  return `#EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="cc",NAME="${name}",DEFAULT=NO,AUTOSELECT=YES,INSTREAM-ID="${channel}"\n`
}

const iframeStream = ({ quality, width, height, bandwidth, averageBandwidth, codecs }: IframeStream, suffix: string) =>
  `#EXT-X-I-FRAME-STREAM-INF:${ratesOf(bandwidth, averageBandwidth)},RESOLUTION=${width}x${height},${codecsOf(codecs)},URI="iframes-${quality}${suffix}.m3u8"\n`
