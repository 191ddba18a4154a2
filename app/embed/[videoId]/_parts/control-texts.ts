import { LANGUAGES } from '../../../_parts/player/languages.ts'
import { timePhrase } from './clock.ts'
import { fill, language, texts } from './texts.ts'

/** Replaces the function of Media Chrome that translates its English `key` (scripts/build-player.ts). Its keys differ by their first letter. */
export function t(key: string, values: Record<string, unknown> = {}): string {
  const name = `${key.charAt(0).toLowerCase()}${key.slice(1)}`
  if (name === 'video player') return LANGUAGES[language]
  const own = texts()?.controls as Record<string, string> | undefined
  return fill(own?.[name] ?? key, values)
}

/** Replaces Media Chrome's phrase for a time in seconds: `1 minute, 20 seconds`, in the viewer's language. */
export const formatAsTimePhrase = (seconds: number): string => timePhrase(seconds, language)
