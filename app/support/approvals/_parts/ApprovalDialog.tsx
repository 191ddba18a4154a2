'use client'

import { Modal, Stack, Text, Textarea } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
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
  const client = useQueryClient()
  const resolve = useMutation(trpc.support.resolveApproval.mutationOptions())
  const form = useForm({
    initialValues: { declineReason: '' },
    validate: approve ? undefined : schemaResolver(z.object({ declineReason: reason }), { sync: true }),
  })
  const submit = form.onSubmit((values) =>
    resolve.mutate(
      { accountId, approvalId, approve, ...(approve ? {} : values) },
      {
        onSuccess: ({ balance }) => {
          void client.invalidateQueries(trpc.support.pathFilter())
          notifications.show({
            message: approve
              ? `Change approved.${balance === null ? '' : ` New balance: ${formatCredits(balance)} credits.`}`
              : 'Change declined.',
          })
          onClose()
        },
        onError: showAtFields(form),
      },
    ),
  )
  return (
    <Modal opened={opened} onClose={onClose} title={approve ? 'Approve this change?' : 'Decline this change?'}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormError error={resolve.error} form={form} />
          <Text fz="sm">
            {describeChange(change)}, for {accountName}, proposed by {proposedEmail}. Reason: {approval.reason}
          </Text>
          {!approve && (
            <Textarea
              label="Reason"
              description="Recorded in the account’s audit log."
              data-autofocus
              {...form.getInputProps('declineReason')}
            />
          )}
          <DialogActions onCancel={onClose} color={approve ? undefined : 'red'} loading={resolve.isPending}>
            {approve ? 'Approve' : 'Decline'}
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
