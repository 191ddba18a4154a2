'use client'

import { Button } from '@mantine/core'
import { IconBan, IconRotate } from '@tabler/icons-react'
import { useTRPC } from '../../../../_trpc/client'
import { useReason } from '../../../_parts/use-reason'

/** Suspends an account, or restores it, for a stated reason. */
export function SuspendButton({ accountId, name, suspended }: { accountId: string; name: string; suspended: boolean }) {
  const trpc = useTRPC()
  const { ask, dialog } = useReason<{ accountId: string; suspended: boolean }, void>(trpc.support.setSuspended.mutationOptions())
  const suspend = () =>
    ask({
      title: `Suspend ${name}?`,
      description:
        'Within a second, its API keys are refused, its videos stop playing and its webhook deliveries pause. Members can still sign in and view the account.',
      confirm: 'Suspend account',
      harms: true,
      done: 'Account suspended.',
      input: { accountId, suspended: true },
    })
  const restore = () =>
    ask({
      title: `Restore ${name}?`,
      description: 'Its API keys, videos and webhooks work again.',
      confirm: 'Restore account',
      done: 'Account restored.',
      input: { accountId, suspended: false },
    })
  return (
    <>
      {suspended ? (
        <Button variant="default" leftSection={<IconRotate size={15} />} onClick={restore}>
          Restore account
        </Button>
      ) : (
        <Button variant="default" c="var(--mantine-color-error)" leftSection={<IconBan size={15} />} onClick={suspend}>
          Suspend account
        </Button>
      )}
      {dialog}
    </>
  )
}
