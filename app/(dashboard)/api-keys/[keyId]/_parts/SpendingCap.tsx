'use client'

import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { formatCredits } from '#server/modules/billing/price-schema'
import { useTRPC } from '../../../../_trpc/client'
import { Panel } from '../../../../_ui/Panel'
import { useMay } from '../../../_parts/permissions'
import { useAsked } from '../../../_parts/use-asked'

const KeyCapDialog = dynamic(() => import('../../../_parts/keys/KeyCapDialog').then((module) => module.KeyCapDialog), { ssr: false })

/** Shows what this key spent of its monthly cap, and the button that sets one. */
export function SpendingCap({ keyId }: { keyId: string }) {
  const trpc = useTRPC()
  const mayChange = useMay('billing.change')
  const { data } = useQuery(trpc.billing.overview.queryOptions(undefined, { refetchOnWindowFocus: true, staleTime: 10_000 }))
  const [isOpen, setIsOpen] = useState(false)
  useAsked(mayChange ? ['cap'] : [], () => setIsOpen(true))
  const key = data?.keys.find(({ id }) => id === keyId)
  if (!key) return null
  return (
    <Panel
      title="Spending cap"
      action={
        mayChange && (
          <Button size="compact-sm" variant="default" onClick={() => setIsOpen(true)}>
            {key.monthCap === null ? 'Set cap' : 'Change cap'}
          </Button>
        )
      }
    >
      <Text size="sm" c={key.monthCap === null ? 'dimmed' : undefined}>
        {key.monthCap === null
          ? `No cap. ${formatCredits(key.monthSpent)} credits spent this month (UTC).`
          : `${formatCredits(key.monthSpent)} of ${formatCredits(key.monthCap)} credits spent this month (UTC).`}
      </Text>
      {isOpen && <KeyCapDialog subject={key} onClose={() => setIsOpen(false)} />}
    </Panel>
  )
}
