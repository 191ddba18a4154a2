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

interface Props {
  title: string
  /** The effect of the action. */
  children: ReactNode
  confirm: string
  /** Makes the button red: the action is destructive. */
  harms?: boolean
  opened: boolean
  busy: boolean
  error: TrpcError | null
  onClose: () => void
  onConfirm: (reason: string, onError: (error: TrpcError) => void) => void
}

/** Requires a reason and a confirmation before a support action on an account, a user or a video. */
export function ReasonDialog({ title, children, confirm, harms = false, opened, busy, error, onClose, onConfirm }: Props) {
  const form = useForm({ initialValues: { reason: '' }, validate: schemaResolver(formSchema, { sync: true }) })
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <form onSubmit={form.onSubmit((values) => onConfirm(values.reason, showAtFields(form)))} noValidate>
        <Stack gap="md">
          <FormError error={error} form={form} />
          <Text fz="sm">{children}</Text>
          <Textarea
            label="Reason"
            description="Shown to the affected users in the dashboard and by email, and recorded in the audit log."
            data-autofocus
            {...form.getInputProps('reason')}
          />
          <DialogActions onCancel={onClose} color={harms ? 'red' : undefined} loading={busy}>
            {confirm}
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
