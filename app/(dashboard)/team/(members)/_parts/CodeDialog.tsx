'use client'

import { Modal, Stack } from '@mantine/core'
import { z } from 'zod'
import { secondFactorInput } from '#server/modules/identity/sign-in/schema'
import { DialogActions } from '../../../../_ui/form/DialogActions'
import { SecondFactorField } from '../../../../_ui/form/SecondFactorField'
import { schemaErrors } from '../../../../_ui/form/schema-errors'
import { useForm } from '../../../../_ui/form/use-form'

interface Props {
  title: string
  busy: boolean
  /** The refusal of the last code. */
  problem: string | undefined
  opened: boolean
  onClose: () => void
  onCode: (code: string) => void
}

/** Asks for the two-factor code of an action that has no form of its own. */
export function CodeDialog({ title, busy, problem, opened, onClose, onCode }: Props) {
  const form = useForm({
    initialValues: { code: '' },
    validate: (values) => schemaErrors(z.object(secondFactorInput.shape).safeParse(values)),
  })
  const field = form.getInputProps('code')
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <form onSubmit={form.onSubmit(({ code }) => onCode(code))} noValidate>
        <Stack gap="md">
          <SecondFactorField description="Required to invite a member." data-autofocus {...field} error={field.error ?? problem} />
          <DialogActions onCancel={onClose} loading={busy}>
            Continue
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
