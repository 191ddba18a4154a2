const names = new Intl.DisplayNames(['en'], { type: 'language' })

/** Returns the English name of a language (RFC 5646), or the text itself if it is no language. */
export function languageName(language: string): string {
  try {
    return names.of(language) ?? language
  } catch {
    return language
  }
}
