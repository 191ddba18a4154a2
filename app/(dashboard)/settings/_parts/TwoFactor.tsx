'use client'

import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { SignInMethods } from '#server/modules/auth/get-sign-in-methods'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { SecretDialog } from '../../../_ui/SecretDialog'

// Loaded when one of them is opened, with the schemas of their fields.
const SetUpTotp = dynamic(() => import('../../../_parts/second-factor/SetUpTotp').then((module) => module.SetUpTotp), { ssr: false })
const RenewCodes = dynamic(() => import('./RenewCodes').then((module) => module.RenewCodes), { ssr: false })
const TurnOffTotp = dynamic(() => import('./TurnOffTotp').then((module) => module.TurnOffTotp), { ssr: false })

const FEW = 3
const TITLES = { 'set-up': 'Set up two-factor sign-in', renew: 'Generate new recovery codes', 'turn-off': 'Turn off two-factor sign-in?' }
type Dialog = keyof typeof TITLES

/** Sets up a code from an app in addition to the password: a stolen password alone gives no access. */
export function TwoFactor({ totp, hasPassword }: { totp: SignInMethods['totp']; hasPassword: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [open, setOpen] = useState<Dialog>()
  const close = () => {
    setOpen(undefined)
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
            <Button variant="default" onClick={() => setOpen('renew')}>
              Generate new codes
            </Button>
            <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpen('turn-off')}>
              Turn off
            </Button>
          </Group>
        </>
      ) : (
        <>
          <Text size="sm">Protect your account with a code from an authenticator app in addition to your password.</Text>
          <Button onClick={() => setOpen('set-up')}>Set up</Button>
        </>
      )}
      <SecretDialog opened={open !== undefined} onClose={close} title={open && TITLES[open]} closeOnClickOutside={false}>
        {open === 'set-up' && <SetUpTotp hasPassword={hasPassword} onClose={close} />}
        {open === 'renew' && <RenewCodes onClose={close} />}
        {open === 'turn-off' && <TurnOffTotp hasPassword={hasPassword} onClose={close} />}
      </SecretDialog>
    </Stack>
  )
}
