/** Languages that do not separate words: Chinese, Japanese, Thai, Lao, Khmer and Burmese; and Korean, whose particles join the words. */
const UNSPACED = /^(?:zh|yue|ja|ko|th|lo|km|my)\b/i

const APOSTROPHES = /[‘’ʼ＇]/g
/** Soft hyphens, joiners and direction marks, which queries do not contain. */
const INVISIBLE = /\p{Cf}/gu
/** Punctuation and spaces beyond ASCII. With the locale C, PostgreSQL treats them as letters of the adjacent word. */
const MARKS = /(?![\0-~])[\p{P}\p{Z}]/gu
/** Symbols beyond ASCII, such as emoji. Each becomes a word, which can be searched. */
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
