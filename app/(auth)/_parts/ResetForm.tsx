'use client'

import { Button, PasswordInput, Radio, Stack } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useHash } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { PASSWORD_MIN } from '#server/modules/accounts/limits'
import { resetPasswordInput } from '#server/modules/auth/schema'
import type { OtherWays } from '#server/modules/auth/unproven'
import { useTRPC } from '../../_trpc/client'
import { fieldErrors } from '../../_ui/form-errors'
import { Notice } from '../../_ui/Notice'

const chosen = resetPasswordInput.pick({ password: true, otherWays: true })

/** Reads the link's secret after the #, which no server and no log receives. */
export function ResetForm() {
  const trpc = useTRPC()
  const [hash] = useHash()
  const token = hash.replace(/^#/, '')
  const look = useMutation(trpc.user.readPasswordReset.mutationOptions())
  const reset = useMutation(trpc.user.resetPassword.mutationOptions())
  const form = useForm<{ password: string; otherWays: 'keep' | 'remove' | undefined }>({
    initialValues: { password: '', otherWays: undefined },
    validate: schemaResolver(chosen, { sync: true }),
  })
  const { mutate } = look
  useEffect(() => {
    if (token) mutate({ token })
  }, [token, mutate])

  const submit = form.onSubmit(({ password, otherWays }) => {
    reset.mutate(
      { token, password, otherWays },
      {
        onSuccess: () => window.location.assign('/sign-in?reset'),
        onError: (error) => {
          const { password, otherWays } = fieldErrors(error) ?? {}
          if (password || otherWays) form.setErrors({ password, otherWays })
        },
      },
    )
  })
  const shown = form.errors.password || form.errors.otherWays
  const problem = reset.error ?? look.error

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <PasswordInput
          label="New password"
          description={`At least ${PASSWORD_MIN} characters. A few random words work well.`}
          autoComplete="new-password"
          autoFocus
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        {look.data?.otherWays && (
          <Radio.Group
            label={`Did you set up ${inWords(look.data.otherWays)}?`}
            description="It was set up before your email address was confirmed, so another person may have done it."
            value={form.values.otherWays ?? null}
            onChange={(value) => form.setFieldValue('otherWays', value as 'keep' | 'remove')}
            error={form.errors.otherWays}
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
        {problem && !shown && <Notice tone="bad">{fieldErrors(problem)?.token ?? problem.message}</Notice>}
      </Stack>
    </form>
  )
}

/** Returns a list such as `two-factor sign-in and the connection to GitHub`. */
function inWords({ secondFactor, providers }: OtherWays): string {
  const parts = [...(secondFactor ? ['two-factor sign-in'] : []), ...providers.map((name) => `the connection to ${name}`)]
  return new Intl.ListFormat('en').format(parts)
}
