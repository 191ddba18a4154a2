import { checkSpeech } from '../../server/platform/speech/check-speech.ts'
import { speechEngine } from '../../server/platform/speech/make-engine.ts'
import { speechChoice } from '../../server/platform/speech/speech-choice.ts'
import { textOf } from '../../server/platform/speech/words.ts'
import type { Command } from './command.ts'

export const speechCheck: Command = {
  name: 'speech check',
  description: 'Transcribes eleven seconds of English speech, or the first minute of a file, and reports speed, memory and the text.',
  options: { file: { type: 'string', description: 'An audio or video file to transcribe in place of the built-in speech.' } },
  needsDatabase: () => false,
  async run({ options: { file } }, print) {
    const [choice, engine] = [speechChoice(), speechEngine()]
    if ('off' in choice || !engine) {
      print('off' in choice ? choice.off : '')
      return 1
    }
    const { language, words, audioSec, tookSec, peakMb } = await checkSpeech(engine, file ? String(file) : undefined)
    print(`engine    ${engine.name}`)
    print(`speed     ${tookSec.toFixed(1)} s for ${audioSec.toFixed(1)} s of audio: ${(tookSec / audioSec).toFixed(2)} times real time`)
    print(`memory    ${peakMb === undefined ? 'not known' : `${peakMb} MB`}`)
    print(`language  ${language ?? 'not known'}`)
    print(`text      ${words.length > 0 ? textOf(words) : 'no speech'}`)
    return words.length > 0 ? 0 : 1
  },
}
