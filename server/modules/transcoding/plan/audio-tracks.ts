import { uniqueName } from '../../videos/edit-video.ts'
import { isEmpty, known, type Stream } from '../probe/source-streams.ts'
import { cleanName } from './track-name.ts'

/** An audio track of the source, encoded as its own rendition. */
export interface AudioTrack {
  /** Stream number within the file. */
  stream: number
  /** BCP 47. Null if the source does not state it. */
  language: string | null
  /** Unique in the video. */
  name: string
  /** True for exactly one track of a video with audio. */
  isDefault: boolean
  mono: boolean
  /** Set if there are more than ffmpeg can mix to two. */
  channels?: number
  /** Set if its channels are directions of the sound around the listener. */
  ambisonic?: true
  /** Seconds that it ends before the video. Silence extends it by as much. */
  endsEarlySec: number
  /** Times, as ffmpeg counts, of packets to leave out because they are out of line with all others. Absent if there are none. */
  strayFrames?: number[]
}

/** A track of the source that the video lacks. */
export interface LeftOutTrack {
  name: string
  /** Why, as the end of a sentence for the owner. */
  reason: string
}

/** A track as ffprobe describes it. */
export interface ProbedTrack {
  stream: number
  /** ISO 639-2, or BCP 47. */
  language: string | undefined
  title: string | undefined
  hasDefaultFlag: boolean
  channels: number | undefined
  /** ffprobe's name, if the file states it. */
  layout?: string | undefined
  endsEarlySec: number
}

/** ffmpeg mixes layouts of at most this many channels, and not all with more. */
const MIXED_CHANNELS = 8
/** Maximum number of tracks to keep. The others are listed as left out. */
export const MAX_AUDIO_TRACKS = 8

/** Returns the tracks to encode, in file order: the first with the default flag is the default one, otherwise the first. */
export function chooseTracks(probed: readonly ProbedTrack[]): AudioTrack[] {
  const main = probed.find((one) => one.hasDefaultFlag) ?? probed[0]
  // The default track is kept wherever it is.
  const kept = probed.filter((one) => one === main || probed.filter((other) => other !== main).indexOf(one) < MAX_AUDIO_TRACKS - 1)
  const taken = new Set<string>()
  return kept.map(({ stream, language, title, channels = 2, layout, endsEarlySec }, position) => {
    const tag = readLanguage(language)
    const stated = cleanName(title ?? '') || (tag && nameOfLanguage(tag)) || `Track ${position + 1}`
    const name = uniqueName(stated, taken)
    const around = channels > 1 && layout?.startsWith('ambisonic') && { ambisonic: true as const }
    const more = !around && channels > MIXED_CHANNELS && { channels }
    return { stream, language: tag, name, isDefault: stream === main?.stream, mono: channels === 1, ...more, ...around, endsEarlySec }
  })
}

const FORMATS: Record<string, string> = {
  apac: 'APAC',
  'ac-4': 'AC-4',
  ac4: 'AC-4',
  mpegh_3d_audio: 'MPEG-H',
  mhm1: 'MPEG-H',
  mha1: 'MPEG-H',
}

/** Returns the tracks of a source that are not among those to encode. `sounds`: all in the file, in order. `isOurs`: of the video's program. */
export function leftOutTracks(sounds: readonly Stream[], kept: readonly AudioTrack[], isOurs = (_: Stream) => true): LeftOutTrack[] {
  const taken = new Set(kept.map(({ name }) => name))
  return sounds.flatMap((one, position) => {
    if (kept.some(({ stream }) => stream === one.index)) return []
    const tag = readLanguage(one.tags?.language)
    const stated = cleanName(one.tags?.title ?? '') || (tag && nameOfLanguage(tag)) || `Track ${position + 1}`
    return [{ name: uniqueName(stated, taken), reason: isOurs(one) ? reasonOf(one) : 'it belongs to another program' }]
  })
}

function reasonOf(one: Stream): string {
  if (one.codec_tag_string === 'enca') return 'it is copy-protected'
  if (isEmpty(one)) return 'it is empty at the start of the file'
  if (known(one)) return `a video can have at most ${MAX_AUDIO_TRACKS} audio tracks`
  const codes = [one.codec_name, one.codec_tag_string].filter((code) => code !== undefined && /^[\w-]+$/.test(code) && code !== 'unknown')
  const [format] = codes.map((code = '') => FORMATS[code] ?? code)
  return `its format${format ? ` (${format})` : ''} cannot be decoded. Export the file with AAC audio to include it`
}

/** Codes without a language: undetermined, uncoded, no linguistic content. */
const NO_LANGUAGE = ['und', 'mis', 'zxx']

/** Returns the BCP 47 tag of an ISO 639-2 code (including bibliographic ones) or a tag. Null for none and for invalid ones. */
export function readLanguage(code: string | undefined): string | null {
  if (!code || NO_LANGUAGE.includes(code.toLowerCase())) return null
  try {
    const [tag] = Intl.getCanonicalLocales(code)
    return tag && nameOfLanguage(tag) ? tag : null
  } catch {
    // A RangeError: the text is not a language tag.
    return null
  }
}

const nameOfLanguage = (tag: string) => new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(tag)
