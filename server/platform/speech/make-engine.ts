import { services } from '../container.ts'
import type { SpeechEngine } from './engine.ts'
import { httpEngine } from './http-engine.ts'
import { pocketsphinxEngine } from './pocketsphinx-engine.ts'
import { speechChoice } from './speech-choice.ts'
import { whisperEngine } from './whisper-engine.ts'

declare module '../container.ts' {
  interface Services {
    /** Undefined: speech to text is off. */
    speechEngine: SpeechEngine | undefined
  }
}

const ENGINES = { whisper: whisperEngine, http: httpEngine, pocketsphinx: pocketsphinxEngine }

export function makeSpeechEngine(): SpeechEngine | undefined {
  const choice = speechChoice()
  return 'engine' in choice ? ENGINES[choice.engine]() : undefined
}

/** Returns the engine that the settings choose. Undefined if speech to text is off (`speechChoice` says why). */
export const speechEngine = (): SpeechEngine | undefined => services().speechEngine
