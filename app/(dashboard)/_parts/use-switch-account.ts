'use client'

import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTRPC } from '../../_trpc/client'

/** Returns a function that switches to another account with a full page load, so that no data of the previous one stays in this tab. */
export function useSwitchAccount(): (accountId: string) => void {
  const trpc = useTRPC()
  const { mutate } = useMutation(
    trpc.team.switchAccount.mutationOptions({
      onSuccess: () => window.location.assign('/'),
      onError: ({ message }) => notifications.show({ color: 'red', title: 'Something went wrong', message }),
    }),
  )
  return (accountId) => mutate({ accountId })
}
