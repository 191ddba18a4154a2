'use client'

import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { SignInMethods } from '#server/modules/identity/sign-in/providers'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { useDialog } from '../../../_ui/use-dialog'
import type { TwoFactorTask } from './TwoFactorDialog'

// Loaded when it is opened, with the schemas of its fields.
const TwoFactorDialog = dynamic(() => import('./TwoFactorDialog').then((module) => module.TwoFactorDialog), { ssr: false })

const FEW = 3

/** Sets up a code from an app in addition to the password: a stolen password alone gives no access. */
export function TwoFactor({ totp, hasPassword }: { totp: SignInMethods['totp']; hasPassword: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [dialog, open] = useDialog<TwoFactorTask>()
  const close = () => {
    dialog?.props.onClose()
    void client.invalidateQueries(trpc.user.pathFilter())
  }

  return (
    <Stack gap="md" align="flex-start">
      {totp ? (
        <>
          <Text size="sm">
            Turned on <RelativeTime date={totp.since} />. Sign-in requires a code from your authenticator app.{' '}
            {totp.recoveryCodesLeft === 1 ? 'One recovery code is left.' : `${totp.recoveryCodesLeft} recovery codes are left.`}
          </Text>
          {totp.recoveryCodesLeft < FEW && <Notice tone="bad">You are running out of recovery codes. Generate new codes.</Notice>}
          <Group gap="xs">
            <Button variant="default" onClick={() => open('renew')}>
              Generate new codes
            </Button>
            <Button variant="default" c="var(--mantine-color-error)" onClick={() => open('turn-off')}>
              Turn off
            </Button>
          </Group>
        </>
      ) : (
        <>
          <Text size="sm">Protect your account with a code from an authenticator app, in addition to your password.</Text>
          <Button onClick={() => open('set-up')}>Set up</Button>
        </>
      )}
      {dialog && <TwoFactorDialog key={dialog.times} task={dialog.subject} hasPassword={hasPassword} {...dialog.props} onClose={close} />}
    </Stack>
  )
}
