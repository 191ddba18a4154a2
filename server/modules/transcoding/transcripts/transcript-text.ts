import { readVttFile, toSrtFile } from '../../../platform/speech/cue-files.ts'
import { joinedLines } from '../../../platform/speech/words.ts'
import { type StoredWord, wordsOf } from './stored-words.ts'
import type { TRANSCRIPT_FORMATS, Transcript } from './transcript-schema.ts'

interface Given extends Pick<Transcript, 'language' | 'generated' | 'edited'> {
  /** The captions, WebVTT. */
  vtt: Uint8Array
  format: (typeof TRANSCRIPT_FORMATS)[number]
  /** JSON of the words, if they are known. */
  words: string | null
}

/** Returns the envelope of a transcript (specification §4). Runs in a thread, because the largest captions take half a second. */
export function transcriptText({ vtt, format, words, language, generated, edited }: Given): Uint8Array<ArrayBuffer> {
  const text = new TextDecoder().decode(vtt)
  const transcript: Transcript = { language, generated, edited, content: null, cues: null, words: null, ...contentOf(text, format, words) }
  return new TextEncoder().encode(JSON.stringify({ success: true, data: transcript }))
}

function contentOf(vtt: string, format: Given['format'], words: string | null): Partial<Transcript> {
  if (format === 'vtt') return { content: vtt }
  const cues = readVttFile(vtt)
  if (format === 'srt') return { content: toSrtFile(cues) }
  if (format === 'text') return { content: cues.map(({ lines }) => `${joinedLines(lines)}\n`).join('') }
  const stored = words === null ? null : (JSON.parse(words) as StoredWord[])
  return {
    cues: cues.map(({ fromSec, toSec, lines }) => ({ startSec: fromSec, endSec: toSec, text: lines.join('\n') })),
    words: stored && wordsOf(stored).map(({ text, fromSec, toSec }) => ({ startSec: fromSec, endSec: toSec, text })),
  }
}
