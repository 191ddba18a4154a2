import { unstable_rethrow } from 'next/navigation'
import { cache } from 'react'
import { snippetValues } from '#server/modules/dashboard/snippet-values'
import { env } from '#server/platform/config/config'
import { currentSession } from '../../_auth'
import { CodeBlock } from '../../_ui/CodeBlock'
import classes from './Guide.module.css'
import { personal, type Reader } from './personal'

/** Matches comments and strings of the languages shown here; other code is not highlighted. */
const COMMENT = /(?:^|(?<=\s))(?:#(?!!\[).*|\/\/.*|<!--[^<>\n]*>)/
const TEXT = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/
const PIECES = new RegExp(`(${TEXT.source})|(${COMMENT.source})`, 'gm')

/** Shows code to paste, with the reader's own values and light highlighting. */
export async function Snippet({ code: written, label }: { code: string; label: string }) {
  const code = personal(written, await currentReader())
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

/** Returns what snippets show in this request. Reads the database for signed-in readers alone; the docs do without it when it is down. */
const currentReader = cache(async (): Promise<Reader> => {
  const url = env().BASE_URL
  try {
    const session = await currentSession()
    return session && !session.owesSecondFactor ? { url, ...(await snippetValues(session.ctx)) } : { url }
  } catch (error) {
    unstable_rethrow(error)
    return { url }
  }
})
