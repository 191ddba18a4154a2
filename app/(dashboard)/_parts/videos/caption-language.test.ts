import { expect, it } from 'vitest'
import { languageOfName } from './caption-language.ts'

it.each([
  ['film.de.vtt', 'de'],
  ['Lesson 4.pt-BR.srt', 'pt-BR'],
  ['film.pt_br.srt', 'pt-BR'],
  ['film.de-AT.vtt', 'de'],
  ['film.eng.srt', 'en'],
  ['film.ger.vtt', 'de'],
  ['film.en.sdh.srt', 'en'],
  ['film.hi.vtt', 'hi'],
  ['film.hi.forced.vtt', 'hi'],
  ['film.en.hi.srt', 'en'],
  ['film_fr.vtt', 'fr'],
  ['film (uk).vtt', 'uk'],
  ['de.vtt', 'de'],
  ['DE.VTT', 'de'],
])('finds the language in %s', (name, language) => {
  expect(languageOfName(name)).toBe(language)
})

it.each([
  'film.vtt',
  'made-in.vtt',
  'look-at.vtt',
  'What it is.vtt',
  'film.v2.vtt',
  'film.xyz.srt',
  'subtitles.vtt',
  'captions.srt',
  '.vtt',
  '',
  '2024.11.24.vtt',
  'film.final.vtt',
])('finds none in “%s”', (name) => {
  expect(languageOfName(name)).toBeUndefined()
})
