import { textOfFile } from '../../../platform/text/text-file.ts'
import { assToSrt } from './captions-ass.ts'
import { toWebVtt } from './captions-text.ts'

export interface CaptionsGiven {
  /** A file, or its text. */
  content: string | Uint8Array
  isAss?: boolean
  /** Most characters; beyond them nothing is converted. */
  most: number
}

/** WebVTT in UTF-8 with its number of cues, which may be 0; or why there is none. */
export type ConvertedCaptions = { body: Uint8Array; cues: number } | { refused: 'not text' | 'too long' }

/** Converts a captions file to normalized WebVTT. For threads: a file of the largest size takes half a second (`convertCaptions`). */
export function captionsOf({ content, isAss = false, most }: CaptionsGiven): ConvertedCaptions {
  const given = typeof content === 'string' ? content : textOfFile(content)
  if (given === undefined) return { refused: 'not text' }
  const text = isAss ? assToSrt(given) : given
  if (text.length > most) return { refused: 'too long' }
  const { vtt, cues } = toWebVtt(text)
  return { body: new TextEncoder().encode(vtt), cues }
}
