'use client'

import { Button, Group, Modal, NumberInput, Stack, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { LIMITS } from '#server/limits'
import type { SupportLimit } from '#server/modules/backoffice/support/account-limits'
import { setLimitInput } from '#server/modules/backoffice/support/schema'
import { useTRPC } from '../../../../_trpc/client'
import { Conflict } from '../../../../_ui/form/Conflict'
import { conflictOf } from '../../../../_ui/form/conflict-of'
import { FormError } from '../../../../_ui/form/FormError'
import { showAtFields } from '../../../../_ui/form/form-errors'
import { schemaErrors } from '../../../../_ui/form/schema-errors'
import { useForm } from '../../../../_ui/form/use-form'
import { SENT_FOR_APPROVAL } from '../../../_parts/describe-change'
import { fromField, inUnit, isBytes, toField } from '../../../_parts/limit-units'

const formSchema = setLimitInput.pick({ value: true, reason: true })

interface Values {
  value: number | string
  reason: string
}

interface Props {
  accountId: string
  limit: SupportLimit
  opened: boolean
  onClose: () => void
}

/** Sets one limit of an account for a stated reason, or resets it to the installation's value. */
export function LimitDialog({ accountId, limit, opened, onClose }: Props) {
  const { name } = limit
  const { title, description } = LIMITS[name]
  const trpc = useTRPC()
  const client = useQueryClient()
  const save = useMutation(trpc.support.setLimit.mutationOptions())
  const [expected, setSeen] = useState(limit.own?.value ?? null)
  // An empty field is not a number, and is refused.
  const entered = (value: number | string) => (value === '' ? Number.NaN : fromField(name, Number(value)))
  const form = useForm<Values>({
    initialValues: { value: toField(name, limit.value), reason: '' },
    validate: ({ value, reason }) => schemaErrors(formSchema.safeParse({ value: entered(value), reason })),
  })

  const send = (value: number | null, known: number | null) =>
    save.mutate(
      { accountId, name, value, reason: form.values.reason, expected: known },
      {
        onSuccess: (waits) => {
          void client.invalidateQueries(trpc.support.pathFilter())
          notifications.show(waits ? SENT_FOR_APPROVAL : { message: `Limit updated: ${title}.` })
          onClose()
        },
        onError: showAtFields(form),
      },
    )
  const backToDefault = () => {
    if (!form.validateField('reason').hasError) send(null, expected)
  }
  const formatLimit = (value: number | null) => (value === null ? `Default (${inUnit(name, limit.default)})` : inUnit(name, value))
  const theirs = conflictOf<{ value: number | null }>(save.error)
  // The submitted value: a number, or a reset to the default.
  const asked = save.variables ? save.variables.value : entered(form.values.value)

  return (
    <Modal opened={opened} onClose={onClose} title={`Change limit: ${title}`}>
      <form onSubmit={form.onSubmit(({ value }) => send(entered(value), expected))} noValidate>
        <Stack gap="md">
          <FormError error={theirs?.value === undefined ? save.error : null} form={form} />
          <Text c="dimmed" fz="sm">
            {description} Current limit: {inUnit(name, limit.value)}
            {limit.own ? `, set by support. Default: ${inUnit(name, limit.default)}.` : ' (default).'}
          </Text>
          {limit.own && (
            <Text c="dimmed" fz="sm">
              Reason: {limit.own.reason}
            </Text>
          )}
          <NumberInput
            label={isBytes(name) ? 'Limit in GB' : 'Limit'}
            min={0}
            allowDecimal={isBytes(name)}
            decimalScale={isBytes(name) ? 9 : 0}
            thousandSeparator=","
            data-autofocus
            {...form.getInputProps('value')}
          />
          <Textarea label="Reason" description="Shown to the owner in the audit log." {...form.getInputProps('reason')} />
          {theirs?.value !== undefined && (
            <Conflict
              fields={[{ title: 'Limit', mine: formatLimit(asked), theirs: formatLimit(theirs.value) }]}
              busy={save.isPending}
              onTakeTheirs={() => {
                save.reset()
                setSeen(theirs.value)
                form.setFieldValue('value', toField(name, theirs.value ?? limit.default))
              }}
              onKeepMine={() => send(asked, theirs.value)}
            />
          )}
          <Group justify="space-between" gap="xs">
            {limit.own ? (
              <Button variant="subtle" color="gray" disabled={save.isPending} onClick={backToDefault}>
                Reset to default
              </Button>
            ) : (
              <span />
            )}
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={save.isPending}>
                Change limit
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
