'use client'

import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core'
import type { GetInputPropsReturnType } from '@mantine/form'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import type { Waits } from '#server/modules/backoffice/support/approvals'
import { reason } from '#server/modules/backoffice/support/schema'
import { Conflict } from '../../_ui/form/Conflict'
import { conflictOf } from '../../_ui/form/conflict-of'
import { DialogActions } from '../../_ui/form/DialogActions'
import { FormError } from '../../_ui/form/FormError'
import { showAtFields } from '../../_ui/form/form-errors'
import { schemaErrors } from '../../_ui/form/schema-errors'
import { useForm } from '../../_ui/form/use-form'
import { SENT_FOR_APPROVAL } from './describe-change'
import type { StaffChange } from './use-staff-change'

type Entered = number | string

interface Props<Value, Input> {
  title: string
  about?: ReactNode
  /** Names the value for the reader, and `name` in the answer to a concurrent edit. */
  label: string
  name: string
  schema: z.ZodType
  /** The value that the page showed. */
  seen: Value
  initial: Entered
  /** Convert a value to what its field shows and back. */
  fieldOf: (value: Value) => Entered
  valueOf: (entered: Entered) => Value
  format: (value: Value) => string
  field: (props: GetInputPropsReturnType) => ReactNode
  confirm: string
  /** The text of a button that saves null. */
  reset?: string | false
  change: StaffChange<Input, Waits | null>
  inputOf: (asked: { value: Value; reason: string; expected: Value }) => Input
  /** The notification after success. */
  done: (value: Value) => string
  opened: boolean
  onClose: () => void
}

/** Changes one value of an account for a stated reason; shows both versions after a concurrent change. */
export function ValueDialog<Value, Input>({ change: { mutation, run }, opened, onClose, ...props }: Props<Value, Input>) {
  const { title, about, label, name, format, confirm, reset } = props
  const [expected, setExpected] = useState(props.seen)
  const [asked, setAsked] = useState<Value>(props.seen)
  const schema = z.object({ value: props.schema, reason })
  const form = useForm({
    initialValues: { value: props.initial, reason: '' },
    validate: ({ value, reason }) => schemaErrors(schema.safeParse({ value: props.valueOf(value), reason })),
  })
  const send = (value: Value, expected: Value) => {
    setAsked(value)
    run(props.inputOf({ value, reason: form.values.reason, expected }), {
      done: (waits) => (waits ? SENT_FOR_APPROVAL : { message: props.done(value) }),
      onError: showAtFields(form),
      onClose,
    })
  }
  const theirs = conflictOf<Record<string, Value>>(mutation.error)?.[name]
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <form onSubmit={form.onSubmit(({ value }) => send(props.valueOf(value), expected))} noValidate>
        <Stack gap="md">
          <FormError error={theirs === undefined ? mutation.error : null} form={form} />
          {about && (
            <Text c="dimmed" fz="sm">
              {about}
            </Text>
          )}
          {props.field(form.getInputProps('value'))}
          <Textarea label="Reason" description="Owners see it in the audit log." {...form.getInputProps('reason')} />
          {theirs !== undefined && (
            <Conflict
              fields={[{ title: label, mine: format(asked), theirs: format(theirs) }]}
              busy={mutation.isPending}
              onTakeTheirs={() => {
                mutation.reset()
                setExpected(theirs)
                form.setFieldValue('value', props.fieldOf(theirs))
              }}
              onKeepMine={() => send(asked, theirs)}
            />
          )}
          <Group justify="space-between" gap="xs">
            {reset ? (
              <Button
                variant="subtle"
                color="gray"
                disabled={mutation.isPending}
                onClick={() => !form.validateField('reason').hasError && send(null as Value, expected)}
              >
                {reset}
              </Button>
            ) : (
              <span />
            )}
            <DialogActions onCancel={onClose} loading={mutation.isPending}>
              {confirm}
            </DialogActions>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
