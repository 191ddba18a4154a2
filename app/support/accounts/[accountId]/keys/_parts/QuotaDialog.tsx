'use client'

import { Button, Group, Modal, NumberInput, Stack, Text, Textarea } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SupportKey } from '#server/modules/backoffice/support/account-pages'
import { setQuotaInput } from '#server/modules/backoffice/support/schema'
import { useTRPC } from '../../../../../_trpc/client'
import { Conflict } from '../../../../../_ui/form/Conflict'
import { conflictOf } from '../../../../../_ui/form/conflict-of'
import { FormError } from '../../../../../_ui/form/FormError'
import { showAtFields } from '../../../../../_ui/form/form-errors'
import { useForm } from '../../../../../_ui/form/use-form'
import { formatCount } from '../../../../../_ui/format'
import { SENT_FOR_APPROVAL } from '../../../../_parts/describe-change'

const formSchema = setQuotaInput.pick({ dailyQuota: true, reason: true })

type Version = { dailyQuota: number | null }
const formatQuota = (quota: number | null) => (quota === null ? 'Tier default' : formatCount(quota))

interface Props {
  accountId: string
  subject: SupportKey
  opened: boolean
  onClose: () => void
}

/** Sets a key's daily quota for a stated reason; it applies from the next token. */
export function QuotaDialog({ accountId, subject, opened, onClose }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const save = useMutation(trpc.support.setQuota.mutationOptions())
  const [expected, setSeen] = useState(subject.ownQuota)
  const form = useForm({
    initialValues: { dailyQuota: subject.dailyQuota as number | null, reason: '' },
    validate: schemaResolver(formSchema, { sync: true }),
  })

  const send = (expected: number | null) => (values: { dailyQuota: number | null; reason: string }) =>
    save.mutate(
      { accountId, keyId: subject.id, ...values, expected },
      {
        onSuccess: (waits) => {
          void client.invalidateQueries(trpc.support.pathFilter())
          notifications.show(waits ? SENT_FOR_APPROVAL : { message: `Daily quota of “${subject.name}” updated.` })
          onClose()
        },
        onError: showAtFields(form),
      },
    )
  const backToTier = () => {
    if (form.validateField('reason').hasError) return
    send(expected)({ dailyQuota: null, reason: form.values.reason })
  }
  const theirs = conflictOf<Version>(save.error)
  // The submitted value: a number, or a reset to the tier's.
  const asked = save.variables ?? form.values

  return (
    <Modal opened={opened} onClose={onClose} title={`Daily quota of “${subject.name}”`}>
      <form onSubmit={form.onSubmit(send(expected))} noValidate>
        <Stack gap="md">
          <FormError error={theirs?.dailyQuota === undefined ? save.error : null} form={form} />
          <Text c="dimmed" fz="sm">
            Current quota: {formatCount(subject.dailyQuota)} playback tokens per UTC day
            {subject.ownQuota === null ? ' (tier default)' : ', set by support'}.
          </Text>
          <NumberInput
            label="Tokens per day"
            min={1}
            allowDecimal={false}
            thousandSeparator=","
            data-autofocus
            {...form.getInputProps('dailyQuota')}
          />
          <Textarea label="Reason" description="Shown to the owner in the audit log." {...form.getInputProps('reason')} />
          {theirs?.dailyQuota !== undefined && (
            <Conflict
              fields={[{ title: 'Tokens per day', mine: formatQuota(asked.dailyQuota), theirs: formatQuota(theirs.dailyQuota) }]}
              busy={save.isPending}
              onTakeTheirs={() => {
                save.reset()
                setSeen(theirs.dailyQuota)
                form.setFieldValue('dailyQuota', theirs.dailyQuota)
              }}
              onKeepMine={() => send(theirs.dailyQuota)({ dailyQuota: asked.dailyQuota, reason: form.values.reason })}
            />
          )}
          <Group justify="space-between" gap="xs">
            {subject.ownQuota !== null ? (
              <Button variant="subtle" color="gray" disabled={save.isPending} onClick={backToTier}>
                Reset to tier default
              </Button>
            ) : (
              <span />
            )}
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={save.isPending}>
                Set quota
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
