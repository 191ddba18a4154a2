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
      lead="Find the cause and the fix of every error. Each has a code for your program, a message for people, and a link to its section here."
      next={{
        '/docs/request-log': 'Find out which check refused a request',
        '/docs/testing#fixtures': 'Trigger each error in your tests',
      }}
    >
      <Section id="shape" title="Error object">
        <Snippet label="Response" code={EXAMPLE} />
        <ul>
          <li>
            Identify an error by its <code>code</code>. The text of <code>message</code> can change.
          </li>
          <li>
            <code>requestId</code> is also in the header <code>X-Request-Id</code> of every response. Include it when you contact support.
          </li>
          <li>
            A 429 or 503 contains <code>retryAfter</code>: the seconds to wait, as in the header <code>Retry-After</code>.
          </li>
          <li>
            <code>details</code> contains more about the error, if there is more to say.
          </li>
          <li>We may add codes. Handle an unknown code by its status.</li>
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
