'use client'

import { Button } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useTRPC } from '../../../../_trpc/client'
import { useReason } from '../../../_parts/use-reason'

/** Begins a read-only view of the dashboard as the owner of the account sees it, for a stated reason. */
export function ViewAsOwnerButton({ accountId, name }: { accountId: string; name: string }) {
  const trpc = useTRPC()
  const { ask, dialog } = useReason<{ accountId: string }, { expiresAt: Date }>(
    // A full load: nothing of one's own account stays in this tab.
    trpc.support.beginOwnerView.mutationOptions({ onSuccess: () => window.location.assign('/') }),
  )
  const view = () =>
    ask({
      title: `View ${name} as its owner?`,
      description:
        'This browser shows the dashboard of the account for 30 minutes. The view is read-only, shows no secrets and no media, and its start and end are recorded.',
      confirm: 'View as owner',
      done: 'The view begins.',
      input: { accountId },
    })
  return (
    <>
      <Button variant="default" leftSection={<IconEye size={15} />} onClick={view}>
        View as owner
      </Button>
      {dialog}
    </>
  )
}
