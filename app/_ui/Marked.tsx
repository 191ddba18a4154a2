import { piecesOf } from './pieces'

/** Renders a text with the code in it as code. */
export function Marked({ children }: { children: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change places
  return piecesOf(children).map(({ text, isCode }, at) => (isCode ? <code key={at}>{text}</code> : text))
}
