'use client'

import { Modal, NumberInput, SegmentedControl, Stack, Text } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { TOP_UP } from '#server/modules/billing/limits'
import { topUpInput } from '#server/modules/billing/schema'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import { formatCount } from '../../../_ui/format'
import { formatMoney } from '../../_parts/amounts'

interface Props {
  price: { amount: number; currency: string }
  opened: boolean
  onClose: () => void
}

/** Sets how many credits to buy; the payment takes place on the payment provider's page. */
export function TopUpDialog({ price, opened, onClose }: Props) {
  const trpc = useTRPC()
  const form = useForm<{ credits: number | string }>({
    initialValues: { credits: TOP_UP.offered[1] },
    validate: schemaResolver(topUpInput, { sync: true }),
  })
  const begin = useMutation(
    trpc.billing.topUp.mutationOptions({ onSuccess: ({ url }) => window.location.assign(url), onError: showAtFields(form) }),
  )
  const whole = topUpInput.safeParse(form.values).data?.credits
  return (
    <Modal opened={opened} onClose={onClose} title="Top up">
      <form onSubmit={form.onSubmit(({ credits }) => begin.mutate({ credits: Number(credits) }))} noValidate>
        <Stack gap="md">
          <SegmentedControl
            aria-label="Amount"
            data={TOP_UP.offered.map((count) => ({ value: String(count), label: formatCount(count) }))}
            value={String(form.values.credits)}
            onChange={(value) => form.setFieldValue('credits', Number(value))}
          />
          <NumberInput
            label="Credits"
            min={TOP_UP.least}
            max={TOP_UP.most}
            clampBehavior="none"
            allowDecimal={false}
            thousandSeparator=","
            data-autofocus
            {...form.getInputProps('credits')}
          />
          <Text size="sm" c="dimmed">
            {whole
              ? `${formatMoney(whole * price.amount, price.currency)} for ${formatCount(whole * 2_000)} playback tokens. You pay on the payment provider’s page. We add the credits once it confirms the payment.`
              : `One credit costs ${formatMoney(price.amount, price.currency)} and pays for 2,000 playback tokens.`}
          </Text>
          <FormError error={begin.error} form={form} />
          <DialogActions onCancel={onClose} loading={begin.isPending || begin.isSuccess}>
            Continue to payment
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
