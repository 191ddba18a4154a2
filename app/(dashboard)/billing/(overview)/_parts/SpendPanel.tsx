'use client'

import { Skeleton, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { SPEND_DAYS } from '#server/modules/billing/limits'
import { useTRPC } from '../../../../_trpc/client'
import { Panel } from '../../../../_ui/Panel'
import { ErrorState } from '../../../../_ui/page/ErrorState'
import { ReportControls } from '../../../../_ui/ReportControls'
import { SpendChart } from './SpendChart'

/** Shows the spending, by UTC day and key. */
export function SpendPanel() {
  const trpc = useTRPC()
  const [days, setDays] = useState<(typeof SPEND_DAYS)[number]>(30)
  const { data, error, refetch } = useQuery(
    trpc.billing.spend.queryOptions({ days }, { placeholderData: keepPreviousData, staleTime: 10_000, refetchInterval: 30_000 }),
  )
  return (
    <Panel
      title="Spend"
      action={
        <ReportControls
          ranges={SPEND_DAYS.map((count) => ({ value: String(count), label: `${count} days` }))}
          days={days}
          onDays={setDays}
        />
      }
    >
      {error && !data ? (
        <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={280} />
      ) : data.keys.length === 0 ? (
        <Text c="dimmed" py="lg" ta="center">
          No spending in this period. Tokens of live keys are charged on the paid tier. Tokens of test keys are never charged.
        </Text>
      ) : (
        <SpendChart spend={data} />
      )}
    </Panel>
  )
}
