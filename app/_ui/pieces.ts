/** Splits a text at its code and its links; the target of a link within the project is left out. */
export function piecesOf(text: string): { text: string; isCode: boolean }[] {
  return text
    .replace(/\[([^[\]]+)\]\([^()]+\)/g, '$1')
    .split('`')
    .map((piece, at) => ({ text: piece, isCode: at % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}
