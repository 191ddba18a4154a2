import { type Advice, CAUSES } from '../tasks/causes.ts'

const { failed, lost, stopped, disk, storage } = CAUSES

/** Why a chunk of a transcript is being retried, by the code in `transcript.cause`, and what its owner can do. */
export const TRANSCRIPT_CAUSES = {
  ...{ failed, lost, stopped, disk, storage },
  damaged: {
    reason: 'A part of the stored audio is damaged.',
    advice: { code: 'none', text: 'Retrying after its repair. If it can’t be repaired, this part has no captions.' },
  },
  memory: {
    reason: 'Decoding the audio takes more memory than a worker may use.',
    advice: { code: 'operator', text: 'Retrying. If it fails again, ask the operator for more memory.' },
  },
  engine: {
    reason: 'The speech-to-text engine did not respond.',
    advice: { code: 'operator', text: 'Retrying automatically. If this lasts, ask the operator to check the speech-to-text engine.' },
  },
  setup: {
    reason: 'The speech-to-text engine is not set up correctly.',
    advice: { code: 'operator', text: 'Ask the operator to run the speech check. Captions continue when it succeeds.' },
  },
  refused: {
    reason: 'The speech-to-text engine refused a part of the audio.',
    advice: { code: 'none', text: 'Retrying. If it is refused again, this part has no captions.' },
  },
  time: {
    reason: 'Transcribing a part of the audio reached its time limit.',
    advice: { code: 'none', text: 'Retrying. If it takes too long again, this part has no captions.' },
  },
  undecodable: {
    reason: 'A part of the audio could not be decoded.',
    advice: { code: 'none', text: 'Retrying. If it fails again, this part has no captions.' },
  },
} as const satisfies Record<string, { reason: string; advice: Advice }>
export type TranscriptCause = keyof typeof TRANSCRIPT_CAUSES

/** Returns a stored cause. An unknown text becomes `failed`. */
export const transcriptCauseOf = (stored: string | null): TranscriptCause =>
  stored !== null && Object.hasOwn(TRANSCRIPT_CAUSES, stored) ? (stored as TranscriptCause) : 'failed'
