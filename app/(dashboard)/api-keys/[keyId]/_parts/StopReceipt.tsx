'use client'

import { Skeleton, Stack, Text, Tooltip } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeyStop, ProcessReport } from '#server/modules/access/keys/stop-key'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { useTRPC } from '../../../../_trpc/client'
import { formatExact, formatTime } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import { Table } from '../../../../_ui/Table'
import type { Tone } from '../../../../_ui/theme'
import { useTimeZone } from '../../../../_ui/time-zone'
import { DownloadReceipt } from '../../../_parts/DownloadReceipt'

const STATES: Record<ProcessReport['state'], { tone: Tone; title: string }> = {
  confirmed: { tone: 'good', title: 'Confirmed' },
  waiting: { tone: 'neutral', title: 'Pending' },
  unconfirmed: { tone: 'bad', title: 'Not confirmed' },
  ended: { tone: 'neutral', title: 'Shut down' },
}
/** How long the page polls for missing confirmations, and the interval. */
const [PATIENCE_MS, EVERY_MS] = [120_000, 1_000]
/** The page shows a key as stopped before the server responds, by its own clock. */
const LEEWAY_MS = 60_000

const isSettled = ({ processes }: KeyStop) => processes.every(({ state }) => state === 'confirmed' || state === 'ended')

/**
 * Shows the confirmation of every running process for a revoked or disabled key: since when it refuses the key, and the last request it
 * accepted.
 */
export function StopReceipt({ subject: { id: keyId, revokedAt, disabledAt, state } }: { subject: ListedKey }) {
  const trpc = useTRPC()
  const [openedAt] = useState(() => Date.now())
  const stoppedAt = (state === 'REVOKED' ? revokedAt : disabledAt)?.getTime() ?? 0
  const isCurrent = (stop: KeyStop | null | undefined): stop is KeyStop => !!stop && stop.at.getTime() > stoppedAt - LEEWAY_MS
  const { data } = useQuery(
    trpc.receipt.keyStop.queryOptions(
      { keyId },
      {
        staleTime: 0,
        refetchInterval: ({ state: { data } }) => {
          const done = isCurrent(data) && isSettled(data)
          return done || Date.now() - openedAt > PATIENCE_MS ? false : EVERY_MS
        },
      },
    ),
  )
  // A key that was stopped before receipts were introduced has none.
  if (!isCurrent(data)) return Date.now() - stoppedAt < LEEWAY_MS ? <Skeleton height={190} radius="md" /> : null
  return <Shown stop={data} />
}

function Shown({ stop }: { stop: KeyStop }) {
  const { kind, processes, stillValid, lastAcceptedAt } = stop
  const confirmed = processes.filter(({ state }) => state === 'confirmed').length
  return (
    <Panel title={kind === 'key.revocation' ? 'Revocation receipt' : 'Disabling receipt'} action={<DownloadReceipt receiptId={stop.id} />}>
      <Stack gap={6} mb={processes.length > 0 ? 'md' : undefined}>
        <Text size="sm">
          {processes.length === 0
            ? 'No process was serving requests at that time.'
            : `${confirmed} of ${processes.length} running ${processes.length === 1 ? 'process has' : 'processes have'} confirmed that requests with this key are refused.`}{' '}
          {lastAcceptedAt ? (
            <>
              The last request was accepted at <Moment date={lastAcceptedAt} />.
            </>
          ) : (
            confirmed > 0 && 'No request was accepted since they started.'
          )}
        </Text>
        <Text size="sm" c="dimmed">
          {stillValid ? (
            <>
              Playback tokens issued earlier stay valid until <Moment date={stillValid.tokensUntil} />. Playback sessions started with them
              end by <Moment date={stillValid.sessionsUntil} /> at the latest.
            </>
          ) : (
            'This key could not issue playback tokens, so no tokens remain valid.'
          )}
        </Text>
      </Stack>
      {processes.length > 0 && <Processes stop={stop} />}
    </Panel>
  )
}

const Processes = ({ stop: { at, processes } }: { stop: KeyStop }) => (
  <Table
    label="Processes"
    rows={processes}
    keyOf={({ id }) => id}
    columns={[
      { title: 'Process', cell: ({ host, pid }) => `${host}, pid ${pid}`, phone: 'wide' },
      { title: 'State', cell: ({ state }) => <StatusBadge tone={STATES[state].tone}>{STATES[state].title}</StatusBadge>, phone: 'end' },
      { title: 'Refuses since', cell: (one) => <Since at={at} answer={one} /> },
      {
        title: 'Last accepted request',
        cell: ({ lastAcceptedAt, state }) =>
          lastAcceptedAt ? <Moment date={lastAcceptedAt} /> : state === 'confirmed' ? 'None' : 'Unknown',
      },
    ]}
  />
)

function Since({ at, answer: { refusedAt, lastSeenAt, state } }: { at: Date; answer: ProcessReport }) {
  if (refusedAt)
    return (
      <>
        <Moment date={refusedAt} /> ({formatLater(refusedAt.getTime() - at.getTime())})
      </>
    )
  if (state === 'waiting') return 'Waiting for confirmation'
  return (
    <>
      No response. Last seen <RelativeTime date={lastSeenAt} />
    </>
  )
}

const formatLater = (ms: number) => (ms < 1_000 ? `${ms} ms later` : `${(ms / 1_000).toFixed(1)} s later`)

/** Shows a time to the millisecond; in both time zones on hover and focus. */
function Moment({ date }: { date: Date }) {
  const [zone] = useTimeZone()
  return (
    <Tooltip label={formatExact(date)} style={{ whiteSpace: 'pre-line' }} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip opens on focus */}
      <time dateTime={date.toISOString()} tabIndex={0}>
        {formatTime(date, zone, { milliseconds: true })}
      </time>
    </Tooltip>
  )
}
