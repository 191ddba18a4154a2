'use client'

import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTRPC } from '../../_trpc/client'

/** Goes on in another account. The page is loaded whole: nothing of the one that is left stays in this tab. */
export function useSwitchAccount(): (accountId: string) => void {
  const trpc = useTRPC()
  const { mutate } = useMutation(
    trpc.team.switchAccount.mutationOptions({
      onSuccess: () => window.location.assign('/'),
      onError: ({ message }) => notifications.show({ color: 'red', title: 'That did not work', message }),
    }),
  )
  return (accountId) => mutate({ accountId })
}
