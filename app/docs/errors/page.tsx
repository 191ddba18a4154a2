import type { Metadata } from 'next'
import { ERROR_HELP } from '#server/error-help'
import { ERRORS } from '#server/errors'
import { StatusBadge } from '../../_ui/StatusBadge'
import { Guide, Section } from '../_parts/Guide'
import classes from '../_parts/Guide.module.css'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Errors' }

const EXAMPLE = `{
  "success": false,
  "error": {
    "code": "RATE_LIMIT_EXCEEDED",
    "message": "${ERRORS.RATE_LIMIT_EXCEEDED.message}",
    "status": 429,
    "requestId": "req_Vb0dRr1gB7Jm2",
    "docUrl": "https://video.example.com/docs/errors#RATE_LIMIT_EXCEEDED",
    "retryAfter": 31337
  }
}`

const codes = Object.keys(ERROR_HELP) as (keyof typeof ERROR_HELP)[]

export default function Errors() {
  return (
    <Guide
      href="/docs/errors"
      title="Errors"
      lead="Every refusal has a code for programs, a sentence for people, and an address on this page."
    >
      <Section id="shape" title="The error object">
        <Snippet label="Answer" code={EXAMPLE} />
        <ul>
          <li>
            Go by <code>code</code>. The wording of <code>message</code> may change.
          </li>
          <li>
            <code>requestId</code> is also in the header <code>X-Request-Id</code>, which every response has. Quote it when you ask for
            help.
          </li>
          <li>
            <code>retryAfter</code> is there on 429 and 503, in seconds, the same as the header <code>Retry-After</code>.
          </li>
          <li>
            <code>details</code> is there where a code has more to say.
          </li>
          <li>A code you do not know is to be treated by its status: new ones may come.</li>
        </ul>
      </Section>
      {codes.map((code) => (
        <Section key={code} id={code} title={<code>{code}</code>}>
          <div className={classes.error}>
            <StatusBadge tone={ERRORS[code].status >= 500 ? 'bad' : 'neutral'}>{ERRORS[code].status}</StatusBadge>
            {ERRORS[code].message}
          </div>
          <dl className={classes.causes}>
            <dt>Cause</dt>
            <dd>{ERROR_HELP[code].cause}</dd>
            <dt>Fix</dt>
            <dd>{ERROR_HELP[code].fix}</dd>
          </dl>
        </Section>
      ))}
    </Guide>
  )
}
