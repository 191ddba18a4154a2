'use client'

import { Radio, Stack } from '@mantine/core'
import { changeTierInput } from '#server/modules/backoffice/support/schema'
import { useTRPC } from '../../../../../_trpc/client'
import { useStaffChange } from '../../../../_parts/use-staff-change'
import { ValueDialog } from '../../../../_parts/ValueDialog'

type Tier = 'FREE' | 'PAID'
const TITLES: Record<Tier, string> = { FREE: 'Free', PAID: 'Paid' }

interface Props {
  accountId: string
  tier: Tier
  opened: boolean
  onClose: () => void
}

/** Changes an account's tier, for a stated reason. */
export function TierDialog({ accountId, tier, ...dialog }: Props) {
  const trpc = useTRPC()
  const change = useStaffChange(trpc.support.changeTier.mutationOptions())
  return (
    <ValueDialog
      title="Change tier"
      label="Tier"
      name="tier"
      schema={changeTierInput.shape.tier}
      seen={tier}
      initial={tier === 'FREE' ? 'PAID' : 'FREE'}
      fieldOf={(value) => value}
      valueOf={(entered) => entered as Tier}
      format={(value) => TITLES[value]}
      field={(props) => (
        <Radio.Group label="Tier" {...props}>
          <Stack gap="xs" mt={6}>
            <Radio value="FREE" label="Free" description="1,000 tokens per key and UTC day. No charges." />
            <Radio value="PAID" label="Paid" description="Paid quota. 0.5 credits per 1,000 tokens while the balance lasts." />
          </Stack>
        </Radio.Group>
      )}
      confirm="Change tier"
      change={change}
      inputOf={({ value, ...rest }) => ({ accountId, tier: value, ...rest })}
      done={(value) => `Tier changed to ${TITLES[value].toLowerCase()}. It applies from the next token.`}
      {...dialog}
    />
  )
}
