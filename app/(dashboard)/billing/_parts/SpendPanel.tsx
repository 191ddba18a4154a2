'use client'

import { Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { SPEND_DAYS } from '#server/modules/billing/limits'
import type { Spend } from '#server/modules/billing/spend'
import { useTRPC } from '../../../_trpc/client'
import { ErrorState } from '../../../_ui/ErrorState'
import { formatCount } from '../../../_ui/format'
import { Panel } from '../../../_ui/Panel'
import { Table } from '../../../_ui/Table'
import { formatCredits } from '../../_parts/amounts'
import classes from './Billing.module.css'

// The chart library is by far the largest part of the page.
const SpendChart = dynamic(() => import('./SpendChart').then((module) => module.SpendChart), {
  ssr: false,
  loading: () => <Skeleton height={220} />,
})

/** Shows the spending, by UTC day and key. */
export function SpendPanel() {
  const trpc = useTRPC()
  const [days, setDays] = useState<(typeof SPEND_DAYS)[number]>(30)
  const [asTable, table] = useDisclosure(false)
  const { data, error, refetch } = useQuery(
    trpc.billing.spend.queryOptions({ days }, { placeholderData: keepPreviousData, staleTime: 10_000, refetchInterval: 30_000 }),
  )
  return (
    <Panel
      title="Spend"
      action={
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Days"
            data={SPEND_DAYS.map((count) => ({ value: String(count), label: `${count} days` }))}
            value={String(days)}
            onChange={(value) => setDays(Number(value) as (typeof SPEND_DAYS)[number])}
          />
          <Button
            size="compact-sm"
            variant="default"
            leftSection={asTable ? <IconChartBar size={14} /> : <IconTable size={14} />}
            onClick={table.toggle}
          >
            {asTable ? 'Chart' : 'Table'}
          </Button>
        </Group>
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
        <Stack gap="sm">
          <Text size="sm">
            <b>{formatCredits(data.total)}</b> credits for <b>{formatCount(data.tokens)}</b> tokens
          </Text>
          {asTable ? <SpendTable spend={data} /> : <SpendChart spend={data} />}
        </Stack>
      )}
    </Panel>
  )
}

function SpendTable({ spend: { days, keys } }: { spend: Spend }) {
  const rows = days.flatMap((day, at) => keys.map(({ keyId, keyName, values }) => ({ day, keyId, keyName, credits: values[at] ?? 0 })))
  return (
    <div className={classes.scroll}>
      <Table
        label="Spend by day and key"
        columns={[
          { title: 'Day (UTC)', cell: ({ day }) => day },
          { title: 'Key', cell: ({ keyName }) => keyName },
          { title: 'Credits', number: true, cell: ({ credits }) => formatCredits(credits) },
        ]}
        rows={rows.filter(({ credits }) => credits > 0).reverse()}
        keyOf={({ day, keyId }) => `${day} ${keyId}`}
      />
    </div>
  )
}
