'use client'

import { Anchor, Button, Divider, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { SetUpTotp } from '../../../_parts/second-factor/SetUpTotp'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { restartSignIn } from '../../_parts/session'

interface Props {
  hasPassword: boolean
  /** The destination after the set-up. */
  next: string
  /** The account that requires the second factor, if one does. */
  account: string | undefined
  /** The user's other accounts, available in the meantime. */
  others: { id: string; name: string }[]
}

/** Sets up the second factor, and offers the alternatives: another account, leaving this one, signing out. */
export function RequiredTotp({ hasPassword, next, account, others }: Props) {
  const trpc = useTRPC()
  const [begun, setBegun] = useState(false)
  const goOn = () => window.location.assign('/')
  const switchTo = useMutation(trpc.team.switchAccount.mutationOptions({ onSuccess: goOn }))
  const leave = useMutation(trpc.team.leave.mutationOptions({ onSuccess: goOn }))
  const problem = switchTo.error ?? leave.error

  if (begun) return <SetUpTotp hasPassword={hasPassword} onClose={() => setBegun(false)} onDone={() => window.location.assign(next)} />
  return (
    <Stack gap="md">
      {problem && <Notice tone="bad">{problem.message}</Notice>}
      <Text size="sm">When you sign in, you also enter a code from an authenticator app. A stolen password alone is then not enough.</Text>
      <Button fullWidth onClick={() => setBegun(true)}>
        Set up
      </Button>
      {others.length > 0 && (
        <>
          <Divider label="or continue with" labelPosition="center" />
          {others.map(({ id, name }) => (
            <Button key={id} variant="default" fullWidth loading={switchTo.isPending} onClick={() => switchTo.mutate({ accountId: id })}>
              {name}
            </Button>
          ))}
        </>
      )}
      <Group justify="center" gap="lg">
        {account !== undefined && others.length > 0 && (
          <Anchor component="button" type="button" size="sm" underline="always" onClick={() => leave.mutate()}>
            Leave {account}
          </Anchor>
        )}
        <Anchor component="button" type="button" size="sm" underline="always" onClick={() => void restartSignIn()}>
          Sign out
        </Anchor>
      </Group>
    </Stack>
  )
}
