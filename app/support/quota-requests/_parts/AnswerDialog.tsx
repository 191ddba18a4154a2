'use client'

import { Button, Group, Modal, NumberInput, Stack, Text, Textarea } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OpenQuotaRequest } from '#server/modules/support/quota-requests'
import { supportAnswerInput } from '#server/modules/support/schema'
import { useTRPC } from '../../../_trpc/client'
import { FormError } from '../../../_ui/FormError'
import { showAtFields } from '../../../_ui/form-errors'
import { formatCount } from '../../../_ui/format'

const formSchema = supportAnswerInput.pick({ granted: true, answer: true })

/** Grants a quota, as requested or another, or declines; with a message to the requester. */
export function AnswerDialog({ request, opened, onClose }: { request: OpenQuotaRequest; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const save = useMutation(trpc.support.answerQuota.mutationOptions())
  const form = useForm({
    initialValues: { granted: request.wanted as number | null, answer: '' },
    validate: schemaResolver(formSchema, { sync: true }),
  })
  const send = (values: { granted: number | null; answer: string }) =>
    save.mutate(
      { accountId: request.accountId, requestId: request.id, ...values },
      {
        onSuccess: () => {
          void client.invalidateQueries(trpc.support.pathFilter())
          notifications.show({
            message: values.granted === null ? 'Request declined.' : `Request granted: ${formatCount(values.granted)} tokens per day.`,
          })
          onClose()
        },
        onError: showAtFields(form),
      },
    )
  const decline = () => {
    if (!form.validateField('answer').hasError) send({ granted: null, answer: form.values.answer })
  }
  return (
    <Modal opened={opened} onClose={onClose} title={`${request.accountName}: “${request.keyName}”`}>
      <form onSubmit={form.onSubmit(send)} noValidate>
        <Stack gap="md">
          <FormError error={save.error} form={form} />
          <Text fz="sm">{request.reason}</Text>
          <Text c="dimmed" fz="sm">
            Requested: {formatCount(request.wanted)} tokens per day. Busiest day in the last 30 days: {formatCount(request.busiestDay)}.
          </Text>
          <NumberInput label="Tokens per day" min={1} allowDecimal={false} thousandSeparator="," {...form.getInputProps('granted')} />
          <Textarea
            label="Reply"
            description="Shown to the requester."
            autosize
            minRows={2}
            maxRows={6}
            data-autofocus
            {...form.getInputProps('answer')}
          />
          <Group justify="space-between" gap="xs">
            <Button variant="default" c="var(--mantine-color-error)" disabled={save.isPending} onClick={decline}>
              Decline
            </Button>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={save.isPending}>
                Grant
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
