'use client'

import { Modal, Stack, Text, Textarea } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { z } from 'zod'
import type { WaitingApproval } from '#server/modules/backoffice/support/approvals'
import { reason } from '#server/modules/backoffice/support/schema'
import { formatCredits } from '#server/modules/billing/price-schema'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import { describeChange } from '../../_parts/describe-change'
import { useStaffChange } from '../../_parts/use-staff-change'

interface Props {
  approval: WaitingApproval
  approve: boolean
  opened: boolean
  onClose: () => void
}

/** Confirms an approval, or requires a reason to decline a proposal. */
export function ApprovalDialog({ approval, approve, opened, onClose }: Props) {
  const { id: approvalId, accountId, accountName, change, proposedEmail } = approval
  const trpc = useTRPC()
  const { mutation, run } = useStaffChange(trpc.support.resolveApproval.mutationOptions())
  const form = useForm({
    initialValues: { declineReason: '' },
    validate: approve ? undefined : schemaResolver(z.object({ declineReason: reason }), { sync: true }),
  })
  const submit = form.onSubmit((values) =>
    run(
      { accountId, approvalId, approve, ...(approve ? {} : values) },
      {
        done: ({ balance }) => ({
          message: approve
            ? `Change approved.${balance === null ? '' : ` New balance: ${formatCredits(balance)} credits.`}`
            : 'Change declined.',
        }),
        onError: showAtFields(form),
        onClose,
      },
    ),
  )
  return (
    <Modal opened={opened} onClose={onClose} title={approve ? 'Approve this change?' : 'Decline this change?'}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormError error={mutation.error} form={form} />
          <Text fz="sm">
            <b>{describeChange(change)}</b>
            <br />
            Proposed for {accountName} by {proposedEmail}. Reason: {approval.reason}
          </Text>
          {!approve && (
            <Textarea
              label="Reason"
              description="Recorded in the account’s audit log."
              data-autofocus
              {...form.getInputProps('declineReason')}
            />
          )}
          <DialogActions onCancel={onClose} color={approve ? undefined : 'red'} loading={mutation.isPending}>
            {approve ? 'Approve' : 'Decline'}
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
