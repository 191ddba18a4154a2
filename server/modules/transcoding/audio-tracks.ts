import { uniqueName } from '../videos/unique-name.ts'
import { cleanName } from './track-name.ts'

/** A track of sound of the source, encoded as a rendition of its own. */
export interface AudioTrack {
  /** Stream number within the file. */
  stream: number
  /** BCP 47; null when the source does not state it. */
  language: string | null
  /** Unique in the video. */
  name: string
  /** True for exactly one track of a video with sound. */
  isDefault: boolean
  mono: boolean
  /** Seconds by which it ends before the video; silence extends it by as much. */
  endsEarlySec: number
  /** Times, as ffmpeg counts, of packets that are left out, being out of line with all others; absent where there are none. */
  strayFrames?: number[]
}

/** A track as ffprobe describes it. */
export interface ProbedTrack {
  stream: number
  /** ISO 639-2, or BCP 47. */
  language: string | undefined
  title: string | undefined
  hasDefaultFlag: boolean
  mono: boolean
  endsEarlySec: number
}

/** Tracks that are kept; the others are ignored. */
export const MAX_AUDIO_TRACKS = 8

/** Returns the tracks to encode, in the order of the file: the first with the default flag is the default one, otherwise the first. */
export function chooseTracks(probed: readonly ProbedTrack[]): AudioTrack[] {
  const main = probed.find((one) => one.hasDefaultFlag) ?? probed[0]
  // The default track is kept wherever it is.
  const kept = probed.filter((one) => one === main || probed.filter((other) => other !== main).indexOf(one) < MAX_AUDIO_TRACKS - 1)
  const taken = new Set<string>()
  return kept.map(({ stream, language, title, mono, endsEarlySec }, position) => {
    const tag = readLanguage(language)
    const stated = cleanName(title ?? '') || (tag && nameOfLanguage(tag)) || `Track ${position + 1}`
    const name = uniqueName(stated, taken)
    return { stream, language: tag, name, isDefault: stream === main?.stream, mono, endsEarlySec }
  })
}

/** Codes without a language: undetermined, uncoded, no linguistic content. */
const NO_LANGUAGE = ['und', 'mis', 'zxx']

/** Returns the BCP 47 tag of an ISO 639-2 code (bibliographic ones too) or a tag; null for none and for invalid ones. */
export function readLanguage(code: string | undefined): string | null {
  if (!code || NO_LANGUAGE.includes(code.toLowerCase())) return null
  try {
    const [tag] = Intl.getCanonicalLocales(code)
    return tag && nameOfLanguage(tag) ? tag : null
  } catch {
    // A RangeError: the text is no language tag.
    return null
  }
}

const nameOfLanguage = (tag: string) => new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(tag)
