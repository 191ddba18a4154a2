import { expect, it } from 'vitest'
import { languageOfName } from './caption-language.ts'

it.each([
  ['lesson.de.vtt', 'de'],
  ['Lesson 4.pt-BR.srt', 'pt-BR'],
  ['lesson.pt_br.srt', 'pt-BR'],
  ['lesson.de-AT.vtt', 'de'],
  ['lesson.eng.srt', 'en'],
  ['lesson.ger.vtt', 'de'],
  ['lesson.en.sdh.srt', 'en'],
  ['lesson.hi.vtt', 'hi'],
  ['lesson.hi.forced.vtt', 'hi'],
  ['lesson.en.hi.srt', 'en'],
  ['lesson_fr.vtt', 'fr'],
  ['lesson (uk).vtt', 'uk'],
  ['de.vtt', 'de'],
  ['DE.VTT', 'de'],
])('finds the language in %s', (name, language) => {
  expect(languageOfName(name)).toBe(language)
})

it.each([
  'lesson.vtt',
  'made-in.vtt',
  'look-at.vtt',
  'What it is.vtt',
  'lesson.v2.vtt',
  'lesson.xyz.srt',
  'subtitles.vtt',
  'captions.srt',
  '.vtt',
  '',
  '2024.11.24.vtt',
  'lesson.final.vtt',
])('finds none in “%s”', (name) => {
  expect(languageOfName(name)).toBeUndefined()
})
