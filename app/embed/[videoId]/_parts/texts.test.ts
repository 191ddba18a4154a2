import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { chooseLanguage, LANGUAGES, type Language } from '../../../_parts/player/languages.ts'
import { timePhrase } from './clock.ts'
import { texts as de } from './texts/de.ts'
import { texts as en } from './texts/en.ts'
import { texts as es } from './texts/es.ts'
import { texts as fr } from './texts/fr.ts'
import { texts as ja } from './texts/ja.ts'
import type { Texts } from './texts/texts.ts'

const ALL = { en, de, es, fr, ja } satisfies Record<Language, Texts>

/** Returns every text of a language by its path. */
function textsOf(part: object, path = ''): [string, string][] {
  return Object.entries(part).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}/${key}`, value] as [string, string]] : textsOf(value as object, `${path}/${key}`),
  )
}
const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()

it.each(Object.entries(ALL))('%s has every text, with the placeholders of the English one', (_language, own) => {
  const english = new Map(textsOf(en))
  expect(
    textsOf(own)
      .map(([path]) => path)
      .sort(),
  ).toEqual([...english.keys()].sort())
  for (const [path, text] of textsOf(own)) {
    expect(text.trim(), path).not.toBe('')
    expect(placeholders(text), path).toEqual(placeholders(english.get(path) ?? ''))
  }
})

it.each(Object.entries(ALL))('%s has messages that a viewer in another page can act on', (_language, { notices }) => {
  // At 200 × 150; a character of Japanese is as wide as two.
  const width = (text: string) => [...text].reduce((sum, character) => sum + (character > '⺀' ? 2 : 1), 0)
  for (const { title, text } of Object.values(notices)) {
    expect(width(title), title).toBeLessThanOrEqual(46)
    expect(width(text), text).toBeLessThanOrEqual(110)
    expect(text).not.toMatch(/API|dashboard|token/i)
  }
})

it.each([
  [['de-AT'], 'de'],
  [['DE_at'], 'de'],
  [['it', 'pt-BR', 'fr-CA', 'de'], 'fr'],
  [[undefined, 'ja-JP', 'en'], 'ja'],
  [['it', 'es-419'], 'es'],
  [['constructor', 'den'], 'en'],
  [[], 'en'],
] as const)('%j chooses %s', (wanted, language) => expect(chooseLanguage(wanted)).toBe(language))

it.each([
  ['en', 0, '0 seconds'],
  ['en', 3661.9, '1 hour, 1 minute, 1 second'],
  ['de', 80, '1 Minute, 20 Sekunden'],
  ['es', 7200, '2 horas'],
  ['fr', 61, '1 minute et 1 seconde'],
  ['ja', 80, '1 分 20 秒'],
] as const)('in %s %d seconds are "%s"', (language, seconds, phrase) =>
  expect(timePhrase(seconds, language).replaceAll(/\s/g, ' ')).toBe(phrase),
)

/** Parts of Media Chrome that its elements import and the player does not show. */
const NOT_SHOWN = new Set([
  ...['audio player', 'video player', 'playback rate', 'playback rate {playbackRate}'],
  // Tooltips.
  ...['seek backward', 'seek forward'],
])

it('names every control of Media Chrome that the player loads', () => {
  const root = join(import.meta.dirname, '../../../../node_modules')
  const todo = [...readFileSync(join(import.meta.dirname, 'controls.ts'), 'utf8').matchAll(/import '(media-chrome[^']+)'/g)].map(
    ([, path]) => join(root, path as string),
  )
  const keys = new Set<string>()
  const read = new Set(todo)
  for (const file of todo) {
    const code = readFileSync(file, 'utf8')
    for (const [, path] of code.matchAll(/(?:from|import) "(\.[^"]+)"/g)) {
      const next = join(dirname(file), path as string)
      if (!read.has(next)) todo.push(next)
      read.add(next)
    }
    for (const [, key = ''] of code.matchAll(/\bt\("([^"]+)"/g)) keys.add(`${key.charAt(0).toLowerCase()}${key.slice(1)}`)
  }
  // In utils/time.js, which the player replaces.
  keys.delete('{time} remaining')
  expect([...keys].filter((key) => !NOT_SHOWN.has(key)).sort()).toEqual(Object.keys(en.controls).sort())
})

it('has a name for the player in every language', () => expect(new Set(Object.values(LANGUAGES)).size).toBe(5))
