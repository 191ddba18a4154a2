/** Returns the tag of the captions with a number among those of one language: `en`, then `en-x-2`, a private-use subtag (RFC 5646 §2.2.7). */
export const captionTag = (language: string, number: number): string => (number === 1 ? language : `${language}-x-${number}`)

/** Returns the language that captions with this tag have, without the number of `captionTag`. */
export const languageOf = (tag: string): string => tag.replace(/-x-\d+$/, '')
