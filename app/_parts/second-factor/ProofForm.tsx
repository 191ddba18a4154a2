'use client'

import { PasswordInput, Stack, Text } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import type { ReactNode } from 'react'
import type { TrpcError } from '../../_trpc/client'
import { DialogActions } from '../../_ui/form/DialogActions'
import { FormError } from '../../_ui/form/FormError'
import { showAtFields } from '../../_ui/form/form-errors'
import { lazySchema } from '../../_ui/form/lazy-schema'
import { useForm } from '../../_ui/form/use-form'

// An empty password is valid only for users who have none, which the module's schema cannot know.
const schema = (hasPassword: boolean) =>
  lazySchema(async () => {
    const { reauthenticateInput } = await import('#server/modules/identity/sign-in/schema')
    const given = ({ password }: { password: string }) => !hasPassword || password !== ''
    return reauthenticateInput.refine(given, { path: ['password'], message: 'Enter your password.' })
  })

interface Props {
  says: ReactNode
  hasPassword: boolean
  submit: string
  busy: boolean
  error: TrpcError | null
  onProof: (password: string, options: { onError: (error: TrpcError) => void }) => void
  onCancel: () => void
}

/** Requires the password before an action that a passer-by at an unlocked screen must not perform. */
export function ProofForm({ says, hasPassword, submit, busy, error, onProof, onCancel }: Props) {
  const form = useForm({ initialValues: { password: '' }, validate: schemaResolver(schema(hasPassword)) })
  return (
    <form noValidate onSubmit={form.onSubmit(({ password }) => onProof(password, { onError: showAtFields(form) }))}>
      <Stack gap="md">
        <FormError error={error} form={form} hidden={!hasPassword && 'password'} />
        <Text size="sm">{says}</Text>
        {hasPassword && (
          <PasswordInput label="Your password" autoComplete="current-password" data-autofocus {...form.getInputProps('password')} />
        )}
        <DialogActions onCancel={onCancel} loading={form.submitting || busy}>
          {submit}
        </DialogActions>
      </Stack>
    </form>
  )
}
