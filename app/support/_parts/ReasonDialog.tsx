'use client'

import { Modal, Stack, Text, Textarea } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { reason } from '#server/modules/backoffice/support/schema'
import type { TrpcError } from '../../_trpc/client'
import { DialogActions } from '../../_ui/form/DialogActions'
import { FormError } from '../../_ui/form/FormError'
import { showAtFields } from '../../_ui/form/form-errors'
import { useForm } from '../../_ui/form/use-form'

const formSchema = z.object({ reason })
const READERS = 'Recorded in the audit log and, if email is configured, sent to the people affected.'

/** A support action that requires a reason. */
export interface StaffAction<Input> {
  title: string
  description: ReactNode
  confirm: string
  harms?: boolean
  /** Who reads the reason, where the owners are not emailed. */
  readers?: string
  /** The message after success. */
  done: string
  input: Input
}

interface Props {
  action: StaffAction<unknown>
  opened: boolean
  busy: boolean
  error: TrpcError | null
  onClose: () => void
  onConfirm: (reason: string, onError: (error: TrpcError) => void) => void
}

/** Asks for a reason and a confirmation before a support action on an account, a user, a key or a video. */
export function ReasonDialog({ action, opened, busy, error, onClose, onConfirm }: Props) {
  const form = useForm({ initialValues: { reason: '' }, validate: schemaResolver(formSchema, { sync: true }) })
  return (
    <Modal opened={opened} onClose={onClose} title={action.title}>
      <form onSubmit={form.onSubmit((values) => onConfirm(values.reason, showAtFields(form)))} noValidate>
        <Stack gap="md">
          <FormError error={error} form={form} />
          <Text fz="sm">{action.description}</Text>
          <Textarea label="Reason" description={action.readers ?? READERS} data-autofocus {...form.getInputProps('reason')} />
          <DialogActions onCancel={onClose} color={action.harms ? 'red' : undefined} loading={busy}>
            {action.confirm}
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
