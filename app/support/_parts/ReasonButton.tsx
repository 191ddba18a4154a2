'use client'

import { Button } from '@mantine/core'
import type { UseMutationOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { TrpcError } from '../../_trpc/client'
import type { StaffAction } from './ReasonDialog'
import { useReason } from './use-reason'

interface Props<Input, Data> {
  icon: ReactNode
  options: UseMutationOptions<Data, TrpcError, Input>
  action: StaffAction<Omit<Input, 'reason'>>
}

/** Renders the button of an action that requires a reason. */
export function ReasonButton<Input extends { reason: string }, Data>({ icon, options, action }: Props<Input, Data>) {
  const { ask, dialog } = useReason(options)
  return (
    <>
      <Button variant="default" c={action.harms ? 'var(--mantine-color-error)' : undefined} leftSection={icon} onClick={() => ask(action)}>
        {action.confirm}
      </Button>
      {dialog}
    </>
  )
}
