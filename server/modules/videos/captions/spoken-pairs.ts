/** Languages that do not separate words: Chinese, Japanese, Thai, Lao, Khmer and Burmese; and Korean, whose particles join the words. */
const UNSPACED = /^(?:zh|yue|ja|ko|th|lo|km|my)\b/i

const APOSTROPHES = /[‘’ʼ＇]/g
/** Soft hyphens, joiners and marks of direction, which nobody types. */
const INVISIBLE = /\p{Cf}/gu
/** Marks and blanks beyond ASCII. In the locale C, PostgreSQL takes them for letters of the word beside them. */
const MARKS = /(?![\0-~])[\p{P}\p{Z}]/gu
/** The same for signs, each of which can be searched: emoji, for example. */
const SIGNS = /(?![\0-~])\p{S}/gu

/**
 * Returns a text in lowercase and without typographic marks, for the languages that separate words: PostgreSQL's dictionaries lower only
 * the letters of the database's locale. The small letter of İ is i, as Turkish writes it, without the dot that Unicode adds.
 */
export const spokenWords = (text: string): string =>
  text.toLowerCase().replaceAll('i\u0307', 'i').replace(APOSTROPHES, "'").replace(INVISIBLE, '').replace(MARKS, ' ').replace(SIGNS, ' $& ')

export const separatesWords = (language: string): boolean => !UNSPACED.test(language)

/**
 * Returns each character of a text and each pair of neighbours, without spaces and punctuation, for languages that do not separate words.
 * A cue that contains a text has all of its pairs.
 */
export function spokenPairs(text: string): string[] {
  const characters = [...text.normalize('NFKC').toLowerCase()].filter((one) => /[\p{L}\p{M}\p{N}]/u.test(one))
  return [...new Set([...characters, ...characters.slice(1).map((one, at) => `${characters[at]}${one}`)])]
}
