'use client'

import { Button } from '@mantine/core'
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { ExplainedCheck, Explanation } from '#server/modules/analytics/requests/explain'
import type { EndpointName } from '../../../_endpoints'
import { CodeBlock } from '../../../_ui/CodeBlock'
import { Fact } from '../../../_ui/Fact'
import { formatCount, formatMs, formatTime } from '../../../_ui/format'
import { IdChip } from '../../../_ui/IdChip'
import { Link } from '../../../_ui/Link'
import { Marked } from '../../../_ui/Marked'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { StatusMark } from '../../../_ui/StatusMark'
import { useTimeZone } from '../../../_ui/time-zone'
import { usePermissions } from '../../_parts/permissions'
import { PersonLink } from '../../_parts/viewers/PersonLink'
import { CHECK_LABELS, OUTCOME_LABELS } from './check-labels'
import { EndSession } from './EndSession'
import classes from './Explained.module.css'
import { refusalOf } from './refusal'
import { curlOf } from './request-format'

interface Props {
  explanation: Explanation
  endpoints: EndpointName[]
  /** The buttons to its neighbours in the log. */
  steps: ReactNode
}

/** Explains a call's response: what was checked, what failed, what to do, and its other data. */
export function Explained({ explanation, endpoints, steps }: Props) {
  const { id, at, method, path, query, status, durationMs, checks, responseHeaders, requestHeaders, weight, bodies } = explanation
  const [zone] = useTimeZone()
  return (
    <div className={classes.all}>
      <div className={classes.head}>
        <p className={classes.line}>
          <StatusMark status={status} /> <b>{method}</b> <span>{query ? `${path}?${query}` : path}</span>
        </p>
        {steps}
        <p className={classes.sub}>
          <IdChip id={id} full /> <RelativeTime date={at} exact /> <span className={classes.took}>took {formatMs(durationMs)}</span>
        </p>
      </div>

      {explanation.error && <Refused explanation={explanation} error={explanation.error} />}

      <Part title="Checks">
        <ol className={classes.checks}>
          {checks.map((one) => (
            <Check key={one.check} {...one} />
          ))}
        </ol>
      </Part>

      <Part title="Details">
        <dl className={classes.facts}>
          <KeyFact explanation={explanation} />
          {explanation.tokenId && (
            <Fact title="Token ID">
              <IdChip id={explanation.tokenId} /> {status < 400 && <EndSession tokenId={explanation.tokenId} />}
            </Fact>
          )}
          {explanation.viewer && (
            <Fact title="Viewer">
              {explanation.viewer.id === null ? 'not shown to support' : <PersonLink {...explanation.viewer} id={explanation.viewer.id} />}
            </Fact>
          )}
          <Fact title="IP address">{explanation.address ?? 'unknown'}</Fact>
          <Fact title="User agent">{explanation.userAgent || 'none'}</Fact>
          <Fact title="Time">
            <time dateTime={at.toISOString()}>{formatTime(at, zone, { milliseconds: true })}</time>
          </Fact>
          {weight > 1 && (
            <Fact title="Sampling">
              {status >= 400
                ? `last of ${formatCount(weight)} identical refusals in one second`
                : `1 in ${Math.ceil(weight)} similar requests`}
            </Fact>
          )}
        </dl>
      </Part>

      <Part title="Bodies">
        {bodies?.request && <CodeBlock label="Request" code={bodies.request} />}
        {bodies?.response && <CodeBlock label="Response" code={bodies.response} />}
        <p className={classes.sub}>
          {bodies ? 'We keep bodies for 24 hours, without secrets.' : 'We keep bodies only for requests with a test key, for 24 hours.'}
        </p>
      </Part>

      <Headers title="Request headers" headers={requestHeaders} />
      <Headers title="Response headers" headers={responseHeaders} />

      {explanation.operation !== 'playback' && (
        <Part title="Repeat the request">
          <CodeBlock label="Shell" code={curlOf(explanation, endpoints, typeof window === 'undefined' ? '' : window.location.origin)} />
        </Part>
      )}
    </div>
  )
}

const ICONS = { passed: IconCheck, failed: IconX, unreached: IconMinus, unknown: IconMinus }

function Check({ check, outcome }: ExplainedCheck) {
  const { title, passed } = CHECK_LABELS[check]
  const Icon = ICONS[outcome]
  return (
    <li className={classes.check} data-outcome={outcome}>
      <span className={classes.mark}>
        <Icon size={13} stroke={2.4} aria-hidden="true" />
      </span>
      <div>
        <p className={classes.name}>
          {title} <span>{OUTCOME_LABELS[outcome]}</span>
        </p>
        {outcome === 'passed' && <p className={classes.explanation}>{passed}</p>}
      </div>
    </li>
  )
}

/** Says why this call was refused, and offers what resolves it. */
function Refused({ explanation, error }: { explanation: Explanation; error: NonNullable<Explanation['error']> }) {
  const may = usePermissions()
  const { cause, fix = error.fix, action } = refusalOf(explanation)
  return (
    <section className={classes.why} aria-label="Why it was refused">
      <Link href={`/docs/errors#${error.code}`} className={`${classes.code} rg-touch`}>
        {error.code}
      </Link>
      <KeyNow explanation={explanation} />
      <p>
        <b>{cause}</b> {cause ? '' : (error.cause ?? error.message)}
      </p>
      {error.details != null && <pre className={classes.details}>{JSON.stringify(error.details, null, 2)}</pre>}
      {fix && (
        <p className={classes.sub}>
          <Marked>{fix}</Marked>
        </p>
      )}
      {action && (!action.needs || may(action.needs)) && (
        <Button component={Link} href={action.href} size="compact-sm" variant="default" className={classes.action}>
          {action.label}
        </Button>
      )}
    </section>
  )
}

const STATES = {
  REVOKED: 'was revoked',
  ROTATING_OUT: 'was rotated and expires',
  EXPIRED: 'expired',
  DISABLED: 'was disabled',
} as const

/** Shows the current state of a refused key that belongs to the account. */
function KeyNow({ explanation: { error, key } }: { explanation: Explanation }) {
  if (error?.code !== 'INVALID_API_KEY' || !key || key.state === 'ACTIVE' || !key.changedAt) return null
  return (
    <p>
      The key <Link href={`/api-keys/${key.id}`}>{key.name}</Link> {STATES[key.state]} <RelativeTime date={key.changedAt} />.
    </p>
  )
}

function KeyFact({ explanation: { key, operation } }: { explanation: Explanation }) {
  if (!key)
    return operation === 'getPlaybackManifest' || operation === 'playback' ? <Fact title="Key">none (authenticated by token)</Fact> : null
  return (
    <Fact title="Key">
      <Link href={`/api-keys/${key.id}`}>{key.name}</Link> <IdChip id={key.prefix} full />
    </Fact>
  )
}

function Headers({ title, headers }: { title: string; headers: Record<string, string> }) {
  const rows = Object.entries(headers)
  if (rows.length === 0) return null
  return (
    <Part title={title}>
      <dl className={classes.headers}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.part}>
      <h3>{title}</h3>
      {children}
    </section>
  )
}
