'use client'

import { type NotificationData, notifications } from '@mantine/notifications'
import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { type TrpcError, useTRPC } from '../../_trpc/client'

interface After<Data> {
  /** What the notification says. */
  done: (answer: Data) => NotificationData
  onClose: () => void
  onError: (error: TrpcError) => void
}

/** Returns a mutation of the support pages, and `run`: after success it reloads their data, shows a notification and closes the dialog. */
export function useStaffChange<Input, Data>(options: UseMutationOptions<Data, TrpcError, Input>) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const mutation = useMutation(options)
  const run = (input: Input, { done, onClose, onError }: After<Data>) =>
    mutation.mutate(input, {
      onSuccess: (answer) => {
        void client.invalidateQueries(trpc.support.pathFilter())
        notifications.show(done(answer))
        onClose()
      },
      onError,
    })
  return { mutation, run }
}

export type StaffChange<Input, Data> = ReturnType<typeof useStaffChange<Input, Data>>
