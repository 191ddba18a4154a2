/** The player's name in each language that it has texts in (texts/*.ts). */
export const LANGUAGES = {
  en: 'Video player',
  de: 'Videoplayer',
  es: 'Reproductor de video',
  fr: 'Lecteur vidéo',
  ja: '動画プレーヤー',
} as const

export type Language = keyof typeof LANGUAGES

/** Returns the first language (RFC 5646) of `wanted` that the player has texts in, by its base language (`de-AT` is `de`); else English. */
export function chooseLanguage(wanted: readonly (string | null | undefined)[]): Language {
  const bases = wanted.map((tag) => tag?.split(/[-_]/)[0]?.toLowerCase() ?? '')
  return bases.find((base): base is Language => Object.hasOwn(LANGUAGES, base)) ?? 'en'
}
