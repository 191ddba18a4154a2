'use client'

import { Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { totpCodeInput } from '#server/modules/identity/sign-in/schema'
import { RecoveryCodes } from '../../../_parts/second-factor/RecoveryCodes'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'

/** Replaces the remaining recovery codes by ten new ones. */
export function RenewCodes({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC()
  const form = useForm({ initialValues: { code: '' }, validate: schemaResolver(totpCodeInput, { sync: true }) })
  const renew = useMutation(trpc.user.renewRecoveryCodes.mutationOptions({ onError: showAtFields(form) }))
  if (renew.data) return <RecoveryCodes codes={renew.data.recoveryCodes} onDone={onClose} />

  return (
    <form onSubmit={form.onSubmit((values) => renew.mutate(values))} noValidate>
      <Stack gap="md">
        <FormError error={renew.error} form={form} />
        <Text size="sm">Your current recovery codes stop working.</Text>
        <TextInput
          label="Code from your authenticator app"
          inputMode="numeric"
          autoComplete="one-time-code"
          data-autofocus
          {...form.getInputProps('code')}
        />
        <DialogActions onCancel={onClose} loading={renew.isPending}>
          Generate codes
        </DialogActions>
      </Stack>
    </form>
  )
}
