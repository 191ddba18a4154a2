'use client'

import { Button, PasswordInput, Radio, Stack } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useHash } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { PASSWORD_MIN } from '#server/modules/identity/limits'
import type { OtherMethods } from '#server/modules/identity/sign-in/providers'
import { resetPasswordInput } from '#server/modules/identity/sign-in/schema'
import { useTRPC } from '../../_trpc/client'
import { FormError } from '../../_ui/form/FormError'
import { showAtFields } from '../../_ui/form/form-errors'
import { useForm } from '../../_ui/form/use-form'

const chosen = resetPasswordInput.pick({ password: true, otherMethods: true })

/** Reads the link's secret after the #, which no server and no log receives. */
export function ResetForm() {
  const trpc = useTRPC()
  const [hash] = useHash()
  const token = hash.replace(/^#/, '')
  const look = useMutation(trpc.user.getPasswordReset.mutationOptions())
  const reset = useMutation(trpc.user.resetPassword.mutationOptions())
  const form = useForm<{ password: string; otherMethods: 'keep' | 'remove' | undefined }>({
    initialValues: { password: '', otherMethods: undefined },
    validate: schemaResolver(chosen, { sync: true }),
  })
  const { mutate } = look
  useEffect(() => {
    if (token) mutate({ token })
  }, [token, mutate])

  const submit = form.onSubmit(({ password, otherMethods }) => {
    reset.mutate(
      { token, password, otherMethods },
      {
        onSuccess: () => window.location.assign('/sign-in?reset'),
        onError: showAtFields(form),
      },
    )
  })

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <PasswordInput
          label="New password"
          description={`At least ${PASSWORD_MIN} characters. We recommend several random words.`}
          autoComplete="new-password"
          autoFocus
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        {look.data?.otherMethods && (
          <Radio.Group
            label={`Did you set up ${describeMethods(look.data.otherMethods)}?`}
            description="It was set up before your email address was confirmed, so another person may have done it."
            value={form.values.otherMethods ?? null}
            onChange={(value) => form.setFieldValue('otherMethods', value as 'keep' | 'remove')}
            error={form.errors.otherMethods}
          >
            <Stack gap="xs" mt={8}>
              <Radio value="keep" label="Yes, keep it" description="You need it to sign in." />
              <Radio value="remove" label="No, remove it" description="You sign in with the new password only." />
            </Stack>
          </Radio.Group>
        )}
        <Button type="submit" fullWidth loading={reset.isPending || reset.isSuccess} mt={4}>
          Change password
        </Button>
        {/* Below the form, which is shown before the link is checked and must not move. */}
        <FormError error={reset.error ?? look.error} form={form} hidden={!look.data?.otherMethods && 'otherMethods'} />
      </Stack>
    </form>
  )
}

/** Returns a list such as `two-factor sign-in and the connection to GitHub`. */
function describeMethods({ secondFactor, providers }: OtherMethods): string {
  const parts = [...(secondFactor ? ['two-factor sign-in'] : []), ...providers.map((name) => `the connection to ${name}`)]
  return new Intl.ListFormat('en').format(parts)
}
