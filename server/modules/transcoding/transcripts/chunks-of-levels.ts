import { planChunks } from '../../../platform/speech/chunks.ts'
import { speechSpans } from '../../../platform/speech/speech-spans.ts'
import type { Span } from '../../../platform/speech/words.ts'

interface Given {
  /** Of a whole track (`LevelMeter`). */
  levels: Float32Array
  maxSec: number
}

/** Divides the speech of a track into chunks. Runs in a thread: twelve hours of audio take half a second. */
export const chunksOfLevels = ({ levels, maxSec }: Given): Span[] => planChunks(speechSpans(levels), maxSec)
