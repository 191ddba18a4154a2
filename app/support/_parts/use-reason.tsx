'use client'

import { notifications } from '@mantine/notifications'
import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { ReactNode } from 'react'
import { type TrpcError, useTRPC } from '../../_trpc/client'
import { useDialog } from '../../_ui/use-dialog'

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
  const [asked, open] = useDialog<StaffAction<Input>>()
  const ask = (measure: StaffAction<Input>) => {
    mutation.reset()
    open(measure)
  }
  const runAction = (measure: StaffAction<Input>, reason: string, onError: (error: TrpcError) => void, close: () => void) =>
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
      title={asked.subject.title}
      confirm={asked.subject.confirm}
      harms={asked.subject.harms}
      busy={mutation.isPending}
      error={mutation.error}
      onConfirm={(reason, onError) => runAction(asked.subject, reason, onError, asked.props.onClose)}
      {...asked.props}
    >
      {asked.subject.description}
    </ReasonDialog>
  )
  return { ask, dialog }
}
