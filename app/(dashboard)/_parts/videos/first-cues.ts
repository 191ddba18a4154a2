/** A line with times, and the lines up to the next blank one. */
const CUE = /^[ \t]*((?:\d{1,3}:)?\d{1,2}:\d{2})(?:[.,]\d{1,3})?[ \t]*-->[^\n]*\n((?:[^\n]*\S[^\n]*\n)+)/gm
const MARKUP = /<[^<>]*>|\{\\[^{}]*\}/g

/** Returns the times and the words of the first captions in a WebVTT or SRT file, at most `most`. */
export function firstCues(text: string, most: number): { at: string; words: string }[] {
  const lines = `${text.slice(0, 20_000).replace(/\r\n?/g, '\n')}\n`
  return [...lines.matchAll(CUE)]
    .map(([, at = '', words = '']) => ({ at, words: words.replace(MARKUP, '').trim().replace(/\s+/g, ' ') }))
    .filter(({ words }) => words !== '')
    .slice(0, most)
}
