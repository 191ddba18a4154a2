'use client'

import { Button, Group, Modal, NumberInput, Stack, Text, Textarea } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OpenQuotaRequest } from '#server/modules/backoffice/support/account-quota'
import { supportResolveQuotaRequestInput } from '#server/modules/backoffice/support/schema'
import { useTRPC } from '../../../_trpc/client'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import { formatCount } from '../../../_ui/format'
import { SENT_FOR_APPROVAL } from '../../_parts/describe-change'

const formSchema = supportResolveQuotaRequestInput.pick({ approvedQuota: true, resolutionNote: true })

/** Approves a quota, as requested or another, or declines; with a message to the requester. */
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
  const client = useQueryClient()
  const save = useMutation(trpc.support.resolveQuotaRequest.mutationOptions())
  const form = useForm({
    initialValues: { approvedQuota: request.requestedQuota as number | null, resolutionNote: '' },
    validate: schemaResolver(formSchema, { sync: true }),
  })
  const send = (values: { approvedQuota: number | null; resolutionNote: string }) =>
    save.mutate(
      { accountId: request.accountId, requestId: request.id, ...values },
      {
        onSuccess: (waits) => {
          void client.invalidateQueries(trpc.support.pathFilter())
          const approved = values.approvedQuota
          const message = approved === null ? 'Request declined.' : `Request approved: ${formatCount(approved)} tokens per day.`
          notifications.show(waits ? SENT_FOR_APPROVAL : { message })
          onClose()
        },
        onError: showAtFields(form),
      },
    )
  const decline = () => {
    if (!form.validateField('resolutionNote').hasError) send({ approvedQuota: null, resolutionNote: form.values.resolutionNote })
  }
  return (
    <Modal opened={opened} onClose={onClose} title={`${request.accountName}: “${request.keyName}”`}>
      <form onSubmit={form.onSubmit(send)} noValidate>
        <Stack gap="md">
          <FormError error={save.error} form={form} />
          <Text fz="sm">{request.reason}</Text>
          <Text c="dimmed" fz="sm">
            Requested: {formatCount(request.requestedQuota)} tokens per day. Busiest day in the last 30 days:{' '}
            {formatCount(request.busiestDay)}.
          </Text>
          <NumberInput label="Tokens per day" min={1} allowDecimal={false} thousandSeparator="," {...form.getInputProps('approvedQuota')} />
          <Textarea label="Reply" description="Shown to the requester." data-autofocus {...form.getInputProps('resolutionNote')} />
          <Group justify="space-between" gap="xs">
            <Button variant="default" c="var(--mantine-color-error)" disabled={save.isPending} onClick={decline}>
              Decline
            </Button>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={save.isPending}>
                Approve
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
