'use client'

import { Button, Group, Modal, NumberInput, Stack, Text, Textarea } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import type { OpenQuotaRequest } from '#server/modules/backoffice/support/account-quota'
import { supportResolveQuotaRequestInput } from '#server/modules/backoffice/support/schema'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import { formatCount } from '../../../_ui/format'
import { SENT_FOR_APPROVAL } from '../../_parts/describe-change'
import { useStaffChange } from '../../_parts/use-staff-change'

const formSchema = supportResolveQuotaRequestInput.pick({ approvedQuota: true, resolutionNote: true })

/** Approves the requested quota or another one, or declines the request, with a reply to the requester. */
export function ResolveQuotaRequestDialog({
  request,
  opened,
  onClose,
}: {
  request: OpenQuotaRequest
  opened: boolean
  onClose: () => void
}) {
  const trpc = useTRPC()
  const { mutation, run } = useStaffChange(trpc.support.resolveQuotaRequest.mutationOptions())
  const form = useForm({
    initialValues: { approvedQuota: request.requestedQuota as number | null, resolutionNote: '' },
    validate: schemaResolver(formSchema, { sync: true }),
  })
  const send = (values: { approvedQuota: number | null; resolutionNote: string }) =>
    run(
      { accountId: request.accountId, requestId: request.id, ...values },
      {
        done: (waits) => {
          const approved = values.approvedQuota
          const message = approved === null ? 'Request declined.' : `Request approved: ${formatCount(approved)} tokens per day.`
          return waits ? SENT_FOR_APPROVAL : { message }
        },
        onError: showAtFields(form),
        onClose,
      },
    )
  const decline = () => {
    if (!form.validateField('resolutionNote').hasError) send({ approvedQuota: null, resolutionNote: form.values.resolutionNote })
  }
  return (
    <Modal opened={opened} onClose={onClose} title={`${request.accountName}: “${request.keyName}”`}>
      <form onSubmit={form.onSubmit(send)} noValidate>
        <Stack gap="md">
          <FormError error={mutation.error} form={form} />
          <Text fz="sm">{request.reason}</Text>
          <Text c="dimmed" fz="sm">
            Requested: {formatCount(request.requestedQuota)} tokens per day. Busiest day in the last 30 days:{' '}
            {formatCount(request.busiestDay)}.
          </Text>
          <NumberInput label="Tokens per day" min={1} allowDecimal={false} thousandSeparator="," {...form.getInputProps('approvedQuota')} />
          <Textarea label="Reply" description="Shown to the requester." data-autofocus {...form.getInputProps('resolutionNote')} />
          <Group justify="space-between" gap="xs">
            <Button variant="default" c="var(--mantine-color-error)" disabled={mutation.isPending} onClick={decline}>
              Decline
            </Button>
            <DialogActions onCancel={onClose} loading={mutation.isPending}>
              Approve
            </DialogActions>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
