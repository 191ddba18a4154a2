'use client'

import { Button, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'

/** Accepts the invitation as the signed-in user and switches to the account. */
export function AcceptButton({ token, email, account, onJoined }: { token: string; email: string; account: string; onJoined: () => void }) {
  const trpc = useTRPC()
  const accept = useMutation(trpc.team.accept.mutationOptions({ onSuccess: onJoined }))
  return (
    <Stack gap="md">
      {accept.isError && <Notice tone="bad">{accept.error.message}</Notice>}
      <Notice tone="info">You are signed in as {email}. Your other accounts do not change.</Notice>
      <Button fullWidth loading={accept.isPending || accept.isSuccess} onClick={() => accept.mutate({ token })}>
        Join {account}
      </Button>
    </Stack>
  )
}
