'use client'

import { notifications } from '@mantine/notifications'
import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { type ReactNode, useState } from 'react'
import { type TrpcError, useTRPC } from '../../_trpc/client'

const ReasonDialog = dynamic(() => import('./ReasonDialog').then((module) => module.ReasonDialog), { ssr: false })

/** A support action that requires a reason. */
export interface StaffAction<Input> {
  title: string
  description: ReactNode
  confirm: string
  harms?: boolean
  /** The message after success. */
  done: string
  input: Input
}

/** Runs an action with a reason. `ask` opens the dialog, which `dialog` renders. */
export function useReason<Input extends object, Data>(options: UseMutationOptions<Data, TrpcError, Input & { reason: string }>) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const mutation = useMutation(options)
  const [asked, setAsked] = useState<{ measure: StaffAction<Input>; open: boolean; times: number }>()
  const ask = (measure: StaffAction<Input>) => {
    mutation.reset()
    setAsked((now) => ({ measure, open: true, times: (now?.times ?? 0) + 1 }))
  }
  const close = () => setAsked((now) => now && { ...now, open: false })
  const runAction = (measure: StaffAction<Input>, reason: string, onError: (error: TrpcError) => void) =>
    mutation.mutate(
      { ...measure.input, reason },
      {
        onSuccess: () => {
          void client.invalidateQueries(trpc.support.pathFilter())
          notifications.show({ message: measure.done })
          close()
        },
        onError,
      },
    )
  const dialog = asked && (
    <ReasonDialog
      key={asked.times}
      title={asked.measure.title}
      confirm={asked.measure.confirm}
      harms={asked.measure.harms}
      opened={asked.open}
      busy={mutation.isPending}
      error={mutation.error}
      onClose={close}
      onConfirm={(reason, onError) => runAction(asked.measure, reason, onError)}
    >
      {asked.measure.description}
    </ReasonDialog>
  )
  return { ask, dialog }
}
