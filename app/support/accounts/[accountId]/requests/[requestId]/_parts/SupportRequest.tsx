'use client'

import { Group, Stack, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import type { Explanation } from '#server/modules/analytics/requests/explain'
import { FactList } from '../../../../../../_parts/staff/FactList'
import { useTRPC } from '../../../../../../_trpc/client'
import { CodeBlock } from '../../../../../../_ui/CodeBlock'
import { IdChip } from '../../../../../../_ui/IdChip'
import { Panel } from '../../../../../../_ui/Panel'
import { RelativeTime } from '../../../../../../_ui/RelativeTime'
import type { Tone } from '../../../../../../_ui/theme'
import classes from '../../../../../_parts/Lists.module.css'
import { CallStatus } from '../../../_parts/CallStatus'
import { KEY_STATES } from '../../../_parts/key-states'

const CHECKS: Record<Explanation['checks'][number]['check'], string> = {
  route: 'Path and method match an endpoint',
  key: 'API key is valid and active',
  token: 'Playback token is valid and not expired',
  scope: 'API key has the required scope',
  input: 'Parameters and headers are valid',
  ownership: 'Video is in the key’s account',
  state: 'Video status allows the operation',
  quota: 'API key has quota left today',
  service: 'Service completed the request',
}
const OUTCOMES: Record<Explanation['checks'][number]['outcome'], { tone: Tone; label: string }> = {
  passed: { tone: 'good', label: 'passed' },
  failed: { tone: 'bad', label: 'failed' },
  unreached: { tone: 'neutral', label: 'not reached' },
  unknown: { tone: 'neutral', label: 'not determined' },
}

/** Explains the response to a request. */
export function SupportRequest({ accountId, requestId }: { accountId: string; requestId: string }) {
  const trpc = useTRPC()
  const { data: call } = useSuspenseQuery(trpc.support.request.queryOptions({ accountId, requestId }))
  const headers = Object.entries(call.responseHeaders)
  return (
    <>
      <Group gap="sm" mb="md">
        <Title order={2} className={classes.code} fz="md">
          {call.method} {call.path}
        </Title>
        <CallStatus status={call.status} code={call.code} />
      </Group>
      <div className={classes.columns}>
        <Stack gap="lg" miw={0}>
          {call.error && (
            <Panel title="Error">
              <p className={classes.said}>{call.error.message}</p>
              {call.error.cause && <p className={`${classes.said} ${classes.quiet}`}>{call.error.cause}</p>}
              {call.error.fix && (
                <p className={classes.said}>
                  <b>Next step:</b> {call.error.fix}
                </p>
              )}
            </Panel>
          )}
          <Panel title="Checks">
            <ol className={classes.log}>
              {call.checks.map(({ check, outcome }) => (
                <li key={check} data-tone={OUTCOMES[outcome].tone}>
                  {CHECKS[check]} <span className={classes.quiet}>– {OUTCOMES[outcome].label}</span>
                </li>
              ))}
            </ol>
          </Panel>
          {call.error?.details !== null && call.error?.details !== undefined && (
            <CodeBlock label="Error details" code={JSON.stringify(call.error.details, null, 2)} />
          )}
          {headers.length > 0 && (
            <CodeBlock label="Response headers" code={headers.map(([name, value]) => `${name}: ${value}`).join('\n')} />
          )}
        </Stack>
        <Panel title="Details">
          <FactList
            facts={[
              ['Request ID', <IdChip key="id" id={call.id} />],
              ['Time', <RelativeTime key="at" date={call.at} />],
              ['Duration', `${call.durationMs.toFixed(1)} ms`],
              ['Key', call.key && `${call.key.name} (${call.key.prefix}…), now ${KEY_STATES[call.key.state].title.toLowerCase()}`],
              ['Query', call.query || null],
              ['IP address', call.address],
              ['User agent', call.userAgent],
              ['Token ID', call.tokenId && <IdChip key="id" id={call.tokenId} />],
              ['Represents', call.weight > 1 ? `${Math.round(call.weight)} similar requests` : null],
            ]}
          />
        </Panel>
      </div>
    </>
  )
}
