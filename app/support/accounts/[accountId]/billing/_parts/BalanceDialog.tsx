'use client'

import { Modal, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import type { WaitingChange } from '#server/modules/backoffice/support/approvals'
import { adjustBalanceInput } from '#server/modules/backoffice/support/schema'
import { formatCredits, MICRO } from '#server/modules/billing/price-schema'
import { useTRPC } from '../../../../../_trpc/client'
import { DialogActions } from '../../../../../_ui/form/DialogActions'
import { FormError } from '../../../../../_ui/form/FormError'
import { showAtFields } from '../../../../../_ui/form/form-errors'
import { useForm } from '../../../../../_ui/form/use-form'
import { SENT_FOR_APPROVAL } from '../../../../_parts/describe-change'
import { useStaffChange } from '../../../../_parts/use-staff-change'
import { WaitingChanges } from '../../_parts/WaitingChanges'

const formSchema = adjustBalanceInput.pick({ direction: true, credits: true, reason: true })
const DIRECTIONS = [
  { value: 'give', label: 'Add credit' },
  { value: 'take', label: 'Deduct credit' },
]

interface Props {
  accountId: string
  /** The balance that the page shows. */
  balance: string
  /** Changes that await approval. */
  waiting: readonly WaitingChange[]
  opened: boolean
  onClose: () => void
}

/** Adds an entry to an account's ledger, for a stated reason; shows the balance before and after it. */
export function BalanceDialog({ accountId, balance, waiting, opened, onClose }: Props) {
  const trpc = useTRPC()
  const { mutation, run } = useStaffChange(trpc.support.adjustBalance.mutationOptions())
  const form = useForm({
    initialValues: { direction: 'give' as 'give' | 'take', credits: '', reason: '' },
    validate: schemaResolver(formSchema, { sync: true }),
  })
  const gives = form.values.direction === 'give'
  const entered = formSchema.shape.credits.safeParse(form.values.credits).data
  const after = entered === undefined ? undefined : Number(balance) + Number(gives ? entered : -entered) / MICRO
  const submit = form.onSubmit((values) =>
    run(
      { accountId, ...values },
      {
        done: (answer) => ('waits' in answer ? SENT_FOR_APPROVAL : { message: `New balance: ${formatCredits(answer.balance)} credits.` }),
        onError: showAtFields(form),
        onClose,
      },
    ),
  )
  return (
    <Modal opened={opened} onClose={onClose} title="Adjust balance">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormError error={mutation.error} form={form} />
          <WaitingChanges changes={waiting} />
          <SegmentedControl aria-label="Direction" data={DIRECTIONS} {...form.getInputProps('direction')} />
          <TextInput
            label="Credits"
            description={`Balance: ${formatCredits(balance)}${after === undefined ? '' : ` → ${formatCredits(after)}`} credits`}
            placeholder="25"
            inputMode="decimal"
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('credits')}
          />
          <Textarea
            label="Reason"
            description="Recorded in the ledger and the audit log. Another staff member must approve large amounts."
            {...form.getInputProps('reason')}
          />
          <DialogActions onCancel={onClose} color={gives ? undefined : 'red'} loading={mutation.isPending}>
            {gives ? 'Add credit' : 'Deduct credit'}
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
