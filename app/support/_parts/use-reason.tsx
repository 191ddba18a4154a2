'use client'

import type { UseMutationOptions } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { TrpcError } from '../../_trpc/client'
import { useDialog } from '../../_ui/use-dialog'
import type { StaffAction } from './ReasonDialog'
import { useStaffChange } from './use-staff-change'

const ReasonDialog = dynamic(() => import('./ReasonDialog').then((module) => module.ReasonDialog), { ssr: false })

/** Runs an action with a reason. `ask` opens the dialog, which `dialog` renders. */
export function useReason<Input extends { reason: string }, Data>(options: UseMutationOptions<Data, TrpcError, Input>) {
  const { mutation, run } = useStaffChange(options)
  const [asked, open] = useDialog<StaffAction<Omit<Input, 'reason'>>>()
  const ask = (action: StaffAction<Omit<Input, 'reason'>>) => {
    mutation.reset()
    open(action)
  }
  const dialog = asked && (
    <ReasonDialog
      key={asked.times}
      action={asked.subject}
      busy={mutation.isPending}
      error={mutation.error}
      onConfirm={(reason, onError) =>
        run({ ...asked.subject.input, reason } as Input, {
          done: () => ({ message: asked.subject.done }),
          onClose: asked.props.onClose,
          onError,
        })
      }
      {...asked.props}
    />
  )
  return { ask, dialog }
}
