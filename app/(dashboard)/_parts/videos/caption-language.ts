import { LANGUAGES } from './languages'

/** Parts of a name that say which kind of captions it is; `hi` is Hindi as well. */
const KINDS = new Set(['cc', 'sdh', 'hi', 'forced', 'default', 'full', 'subtitles', 'captions'])

/**
 * Returns the language that the name of a captions file states before its ending, as in `lesson.de.vtt`, `lesson_pt-BR.srt`, `lesson.eng.sdh.srt`
 * and `de.vtt`; undefined for a name without one.
 */
export function languageOfName(name: string): string | undefined {
  const parts = name.split('.').slice(0, -1)
  const isKind = (part: string) => KINDS.has(part.toLowerCase())
  while (isKind(parts.at(-1) ?? '') && (!knownLanguage(parts.at(-1) ?? '') || knownLanguage(parts.at(-2) ?? ''))) parts.pop()
  const last = parts.at(-1) ?? ''
  // Of the name itself no last word behind a blank or a hyphen: “What it is” is not Icelandic.
  const [, behind = ''] = /[_([]([a-z]{2,3}(?:-[a-z\d]{2,4})?)[)\]]?$/i.exec(last) ?? []
  return knownLanguage(last) ?? knownLanguage(behind)
}

function knownLanguage(text: string): string | undefined {
  if (!/^[a-z]{2,3}(?:[-_][a-z\d]{2,4})?$/i.test(text)) return undefined
  try {
    const [tag = ''] = Intl.getCanonicalLocales(text.replace('_', '-'))
    return [tag, tag.split('-')[0]].find((one) => LANGUAGES.some(({ value }) => value === one))
  } catch {
    return undefined
  }
}
