import { CodeBlock } from '../../_ui/CodeBlock'
import classes from './Guide.module.css'

/** Matches comments and strings of the languages shown here; other code is not highlighted. */
const COMMENT = /(?:^|(?<=\s))(?:#(?!!\[).*|\/\/.*|<!--[^<>\n]*>)/
const TEXT = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/
const PIECES = new RegExp(`(${TEXT.source})|(${COMMENT.source})`, 'gm')

/** Shows code to paste, with light highlighting. */
export function Snippet({ code, label }: { code: string; label: string }) {
  const pieces = []
  let from = 0
  for (const match of code.matchAll(PIECES)) {
    pieces.push(code.slice(from, match.index))
    pieces.push(
      <span key={match.index} className={match[1] ? classes.text : classes.comment}>
        {match[0]}
      </span>,
    )
    from = match.index + match[0].length
  }
  pieces.push(code.slice(from))
  return (
    <CodeBlock code={code} label={label}>
      {pieces}
    </CodeBlock>
  )
}
