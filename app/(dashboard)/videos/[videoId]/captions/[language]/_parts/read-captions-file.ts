import { captionsOf } from '#server/modules/videos/captions/captions-text'
import { CAPTIONS_TOO_LONG, MAX_CAPTION_BYTES, MAX_CAPTION_CHARACTERS } from '#server/modules/videos/schema'
import { NOT_TEXT } from '#server/platform/text/text-file'
import { type Cue, parseVtt } from './cue-document'

/** Returns the captions of a WebVTT or SRT file. Throws an error with a sentence for any other file. */
export async function readCaptionsFile(file: File): Promise<Cue[]> {
  if (file.size > MAX_CAPTION_BYTES) throw new Error(CAPTIONS_TOO_LONG)
  const read = captionsOf({ content: new Uint8Array(await file.arrayBuffer()), most: MAX_CAPTION_CHARACTERS })
  if ('refused' in read) throw new Error(read.refused === 'too long' ? CAPTIONS_TOO_LONG : NOT_TEXT)
  if (read.cues === 0) throw new Error('This file contains no captions. Choose a WebVTT or SRT file.')
  return parseVtt(new TextDecoder().decode(read.body))
}
