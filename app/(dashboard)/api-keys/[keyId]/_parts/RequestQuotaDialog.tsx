'use client'

import { Modal, NumberInput, Stack, Textarea } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { requestQuotaInput } from '#server/modules/access/quotas/schema'
import { useTRPC } from '../../../../_trpc/client'
import { DialogActions } from '../../../../_ui/form/DialogActions'
import { FormError } from '../../../../_ui/form/FormError'
import { showAtFields } from '../../../../_ui/form/form-errors'
import { useForm } from '../../../../_ui/form/use-form'

interface Props {
  keyId: string
  keyName: string
  opened: boolean
  onClose: () => void
}

/** Requests a higher daily quota for a key from the operator. */
export function RequestQuotaDialog({ keyId, keyName, opened, onClose }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const request = useMutation(trpc.billing.requestQuota.mutationOptions())
  const form = useForm<{ requestedQuota: number | string; reason: string }>({
    initialValues: { requestedQuota: '', reason: '' },
    validate: schemaResolver(requestQuotaInput.pick({ requestedQuota: true, reason: true }), { sync: true }),
  })
  const submit = form.onSubmit(({ requestedQuota, reason }) =>
    request.mutate(
      { keyId, requestedQuota: Number(requestedQuota), reason },
      {
        onSuccess() {
          void client.invalidateQueries(trpc.billing.quotaRequests.pathFilter())
          notifications.show({ message: 'Request sent. The decision appears on this page.', withBorder: true })
          onClose()
        },
        onError: showAtFields(form),
      },
    ),
  )
  return (
    <Modal opened={opened} onClose={onClose} title={`Request a higher quota for “${keyName}”`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormError error={request.error} form={form} />
          <NumberInput
            label="Tokens per day"
            description="Playback tokens this key should be able to issue per day (UTC)."
            thousandSeparator=","
            allowNegative={false}
            allowDecimal={false}
            hideControls
            data-autofocus
            {...form.getInputProps('requestedQuota')}
          />
          <Textarea label="Reason" description="The operator reviews your request." minRows={3} {...form.getInputProps('reason')} />
          <DialogActions onCancel={onClose} loading={request.isPending}>
            Send request
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
