'use client'

import { Modal, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { WaitingChange } from '#server/modules/backoffice/support/approvals'
import { adjustBalanceInput } from '#server/modules/backoffice/support/schema'
import { formatCredits } from '#server/modules/billing/price-schema'
import { useTRPC } from '../../../../../_trpc/client'
import { DialogActions } from '../../../../../_ui/form/DialogActions'
import { FormError } from '../../../../../_ui/form/FormError'
import { showAtFields } from '../../../../../_ui/form/form-errors'
import { useForm } from '../../../../../_ui/form/use-form'
import { SENT_FOR_APPROVAL } from '../../../../_parts/describe-change'
import { WaitingChanges } from '../../_parts/WaitingChanges'

const formSchema = adjustBalanceInput.pick({ direction: true, credits: true, reason: true })
const DIRECTIONS = [
  { value: 'give', label: 'Add credit' },
  { value: 'take', label: 'Deduct credit' },
]

interface Props {
  accountId: string
  /** Changes that await approval. */
  waiting: readonly WaitingChange[]
  opened: boolean
  onClose: () => void
}

/** Adds an entry to an account's ledger, for a stated reason. */
export function BalanceDialog({ accountId, waiting, opened, onClose }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const adjust = useMutation(trpc.support.adjustBalance.mutationOptions())
  const form = useForm({
    initialValues: { direction: 'give' as 'give' | 'take', credits: '', reason: '' },
    validate: schemaResolver(formSchema, { sync: true }),
  })
  const gives = form.values.direction === 'give'
  const submit = form.onSubmit((values) =>
    adjust.mutate(
      { accountId, ...values },
      {
        onSuccess: (done) => {
          void client.invalidateQueries(trpc.support.pathFilter())
          notifications.show('waits' in done ? SENT_FOR_APPROVAL : { message: `Balance updated: ${formatCredits(done.balance)} credits.` })
          onClose()
        },
        onError: showAtFields(form),
      },
    ),
  )
  return (
    <Modal opened={opened} onClose={onClose} title="Adjust balance">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormError error={adjust.error} form={form} />
          <WaitingChanges changes={waiting} />
          <SegmentedControl aria-label="Direction" data={DIRECTIONS} {...form.getInputProps('direction')} />
          <TextInput
            label="Credits"
            placeholder="25"
            inputMode="decimal"
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('credits')}
          />
          <Textarea
            label="Reason"
            description="Recorded in the ledger and the audit log. Large amounts require approval by another member of staff."
            {...form.getInputProps('reason')}
          />
          <DialogActions onCancel={onClose} color={gives ? undefined : 'red'} loading={adjust.isPending}>
            {gives ? 'Add credit' : 'Deduct credit'}
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
