'use client'

import { Group, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { totpCodeInput } from '#server/modules/identity/sign-in/schema'
import { useTRPC } from '../../_trpc/client'
import { CopyButton } from '../../_ui/CopyButton'
import { DialogActions } from '../../_ui/form/DialogActions'
import { FormError } from '../../_ui/form/FormError'
import { showAtFields } from '../../_ui/form/form-errors'
import { useForm } from '../../_ui/form/use-form'
import { ProofForm } from './ProofForm'
import { QrCode } from './QrCode'
import { RecoveryCodes } from './RecoveryCodes'

/** Runs the set-up in three steps: the password, a code from the app that scanned the QR code, the recovery codes. */
export function SetUpTotp({ hasPassword, onClose, onDone = onClose }: { hasPassword: boolean; onClose: () => void; onDone?: () => void }) {
  const trpc = useTRPC()
  const begin = useMutation(trpc.user.beginTotp.mutationOptions())
  const form = useForm({ initialValues: { code: '' }, validate: schemaResolver(totpCodeInput, { sync: true }) })
  const confirm = useMutation(trpc.user.confirmTotp.mutationOptions({ onError: showAtFields(form) }))

  if (confirm.data) return <RecoveryCodes codes={confirm.data.recoveryCodes} onDone={onDone} />
  if (!begin.data)
    return (
      <ProofForm
        says="You need an authenticator app, for example your password manager or an app on your phone."
        hasPassword={hasPassword}
        submit="Continue"
        busy={begin.isPending}
        error={begin.error}
        onProof={(password, options) => begin.mutate({ password }, options)}
        onCancel={onClose}
      />
    )

  const { secret, uri } = begin.data
  return (
    <form onSubmit={form.onSubmit((values) => confirm.mutate(values))} noValidate>
      <Stack gap="md">
        <Text size="sm">Scan the QR code with your authenticator app, then enter the code that the app shows.</Text>
        <QrCode text={uri} label="QR code for the authenticator app" />
        <div>
          <Text size="xs" c="dimmed" mb={4}>
            Can’t scan? Enter this key in the app.
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Text ff="monospace" fz="sm" style={{ overflowWrap: 'anywhere' }} data-testid="totp-secret">
              {secret.replace(/.{4}(?=.)/g, '$& ')}
            </Text>
            <CopyButton value={secret} label="Copy key" />
          </Group>
        </div>
        <FormError error={confirm.error} form={form} />
        <TextInput
          label="Code"
          placeholder="123 456"
          inputMode="numeric"
          autoComplete="one-time-code"
          data-autofocus
          {...form.getInputProps('code')}
        />
        <DialogActions onCancel={onClose} loading={confirm.isPending}>
          Turn on
        </DialogActions>
      </Stack>
    </form>
  )
}
