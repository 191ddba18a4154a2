'use client'

import { Button, Group, Modal, NumberInput, SegmentedControl, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { TOP_UP } from '#server/modules/billing/limits'
import { topUpInput } from '#server/modules/billing/schema'
import { useTRPC } from '../../../_trpc/client'
import { formatCount } from '../../../_ui/format'
import { Notice } from '../../../_ui/Notice'
import { formatMoney } from '../../_parts/amounts'

interface Props {
  price: { amount: number; currency: string }
  opened: boolean
  onClose: () => void
}

/** Sets how many credits to buy; the payment takes place on the payment provider's page. */
export function TopUpDialog({ price, opened, onClose }: Props) {
  const trpc = useTRPC()
  const [credits, setCredits] = useState<number | string>(TOP_UP.offered[1])
  const [problem, setProblem] = useState<string>()
  const begin = useMutation(trpc.billing.topUp.mutationOptions({ onSuccess: ({ url }) => window.location.assign(url) }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const checked = topUpInput.safeParse({ credits })
    setProblem(checked.error?.issues[0]?.message)
    if (checked.success) begin.mutate(checked.data)
  }
  const whole = topUpInput.safeParse({ credits }).data?.credits
  return (
    <Modal opened={opened} onClose={onClose} title="Top up">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <SegmentedControl
            aria-label="Amount"
            data={TOP_UP.offered.map((count) => ({ value: String(count), label: formatCount(count) }))}
            value={String(credits)}
            onChange={(value) => setCredits(Number(value))}
          />
          <NumberInput
            label="Credits"
            value={credits}
            onChange={setCredits}
            min={TOP_UP.least}
            max={TOP_UP.most}
            clampBehavior="none"
            allowDecimal={false}
            thousandSeparator=","
            error={problem}
            data-autofocus
          />
          <Text size="sm" c="dimmed">
            {whole
              ? `${formatMoney(whole * price.amount, price.currency)} for ${formatCount(whole * 2_000)} playback tokens. You pay on the payment provider’s page. Credits are added when the payment is confirmed.`
              : `One credit costs ${formatMoney(price.amount, price.currency)} and pays for 2,000 playback tokens.`}
          </Text>
          {begin.error && <Notice tone="bad">{begin.error.message}</Notice>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={begin.isPending || begin.isSuccess}>
              Continue to payment
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
