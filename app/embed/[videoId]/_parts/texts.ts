import { chooseLanguage, LANGUAGES } from '../../../_parts/player/languages.ts'
import { readOptions } from './options.ts'
import type { Texts } from './texts/texts.ts'

const FILES = {
  en: () => import('./texts/en.ts'),
  de: () => import('./texts/de.ts'),
  es: () => import('./texts/es.ts'),
  fr: () => import('./texts/fr.ts'),
  ja: () => import('./texts/ja.ts'),
} satisfies Record<keyof typeof LANGUAGES, () => Promise<{ texts: Texts }>>

/** The viewer's language: the page's `lang` parameter, else the first of the browser that has texts. */
export const language = chooseLanguage([readOptions(location.search).lang, ...navigator.languages])

let loaded: Texts | undefined

/** Returns the texts in the viewer's language; undefined while their file is loading, and if it fails to load. */
export const texts = (): Texts | undefined => loaded

/** Loads the texts of one language and writes them into the document, whose own are English. Rejects if the file fails to load. */
export const textsLoaded: Promise<void> = FILES[language]().then((file) => {
  loaded = file.texts
  document.documentElement.lang = language
  document.title = LANGUAGES[language]
  document.getElementById('player')?.setAttribute('aria-label', LANGUAGES[language])
  for (const part of document.querySelectorAll<HTMLElement>('[data-text]'))
    part.textContent = loaded.labels[part.dataset.text as keyof Texts['labels']]
})

/** Returns `text` with `{name}` replaced by the values. */
export const fill = (text: string, values: Record<string, unknown>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
