const LANGUAGE = 'reelgate-audio-language'

/** Returns the language (RFC 5646) of the audio track that the viewer chose last in this browser, if storage is allowed. */
export function preferredLanguage(): string | undefined {
  try {
    return localStorage.getItem(LANGUAGE) ?? undefined
  } catch {
    // A frame of another site may have no storage.
    return undefined
  }
}

/** Stores the language of a chosen audio track; a track without one clears the preference. */
export function rememberLanguage(language: string): void {
  try {
    if (language) localStorage.setItem(LANGUAGE, language)
    else localStorage.removeItem(LANGUAGE)
  } catch {
    // The choice then holds for this page.
  }
}
