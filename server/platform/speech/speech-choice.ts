import { env } from '../config/config.ts'
import type { SpeechEngineName } from './speech-schema.ts'

const SWITCH_ON =
  'Set WHISPER_MODEL to the file of a Whisper model, or SPEECH_URL to a server with OpenAI’s transcription API (docs/speech.md).'

/**
 * Returns the engine that the settings choose, or in one sentence for the operator how to switch one on. Reads settings only: whether the
 * engine works, `npm run operator -- speech check` finds out.
 */
export function speechChoice(): { engine: SpeechEngineName } | { off: string } {
  const { SPEECH_ENGINE, WHISPER_MODEL, SPEECH_URL } = env()
  const engine = SPEECH_ENGINE ?? (SPEECH_URL ? 'http' : WHISPER_MODEL ? 'whisper' : 'off')
  if (engine === 'off') return { off: `Speech to text is off. ${SWITCH_ON}` }
  if (engine === 'whisper' && !WHISPER_MODEL) return { off: 'SPEECH_ENGINE is whisper: set WHISPER_MODEL to the file of a Whisper model.' }
  if (engine === 'http' && !SPEECH_URL) return { off: 'SPEECH_ENGINE is http: set SPEECH_URL to the base URL of a transcription server.' }
  return { engine }
}
