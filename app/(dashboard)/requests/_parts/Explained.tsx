'use client'

import { IconCheck, IconMinus, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { ExplainedCheck, Explanation } from '#server/modules/analytics/requests/explain'
import type { EndpointName } from '../../../_endpoints'
import { CodeBlock } from '../../../_ui/CodeBlock'
import { Fact } from '../../../_ui/Fact'
import { formatCount, formatMs } from '../../../_ui/format'
import { IdChip } from '../../../_ui/IdChip'
import { Link } from '../../../_ui/Link'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { StatusMark } from '../../../_ui/StatusMark'
import { CHECK_LABELS, OUTCOME_LABELS } from './check-labels'
import { EndSession } from './EndSession'
import classes from './Explained.module.css'
import { curlOf } from './request-format'

/** Explains a call's response: what was checked, what failed, what to do, and its other data. */
export function Explained({ explanation, endpoints }: { explanation: Explanation; endpoints: EndpointName[] }) {
  const { id, at, method, path, query, status, durationMs, checks, responseHeaders, requestHeaders, weight } = explanation
  return (
    <div className={classes.all}>
      <div className={classes.head}>
        <p className={classes.line}>
          <StatusMark status={status} /> <b>{method}</b> <span>{query ? `${path}?${query}` : path}</span>
        </p>
        <p className={classes.sub}>
          <IdChip id={id} full /> <RelativeTime date={at} /> · took {formatMs(durationMs)}
        </p>
      </div>

      <Part title="Checks">
        <ol className={classes.checks}>
          {checks.map((one) => (
            <Check key={one.check} {...one} explanation={explanation} />
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
          <Fact title="IP address">{explanation.address ?? 'unknown'}</Fact>
          <Fact title="User agent">{explanation.userAgent || 'none'}</Fact>
          <Fact title="Time">
            <time dateTime={at.toISOString()}>{at.toISOString().replace('T', ' ').replace('Z', ' UTC')}</time>
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

      {Object.keys(requestHeaders).length > 0 && (
        <Part title="Request headers">
          <dl className={classes.headers}>
            {Object.entries(requestHeaders).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </Part>
      )}

      <Part title="Response headers">
        <dl className={classes.headers}>
          {Object.entries(responseHeaders).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Part>

      <Part title="Repeat the request">
        <CodeBlock label="Shell" code={curlOf(explanation, endpoints, typeof window === 'undefined' ? '' : window.location.origin)} />
      </Part>
    </div>
  )
}

const ICONS = { passed: IconCheck, failed: IconX, unreached: IconMinus, unknown: IconMinus }

function Check({ check, outcome, explanation }: ExplainedCheck & { explanation: Explanation }) {
  const { title, passed } = CHECK_LABELS[check]
  const Icon = ICONS[outcome]
  const { error } = explanation
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
        {outcome === 'failed' && error && (
          <div className={classes.why}>
            <p>
              <Link href={`/docs/errors#${error.code}`} className={`${classes.code} rg-touch`}>
                {error.code}
              </Link>
            </p>
            {error.said && <p>{error.said}</p>}
            <p>{error.cause ?? error.message}</p>
            <KeyNow explanation={explanation} />
            {error.details != null && <pre className={classes.details}>{JSON.stringify(error.details, null, 2)}</pre>}
            {error.fix && (
              <p>
                <b>Next step:</b> {error.fix}
              </p>
            )}
          </div>
        )}
      </div>
    </li>
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
  if (!key) return operation === 'getPlaybackManifest' ? <Fact title="Key">none (authenticated by token)</Fact> : null
  return (
    <Fact title="Key">
      <Link href={`/api-keys/${key.id}`}>{key.name}</Link> <IdChip id={key.prefix} full />
    </Fact>
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
