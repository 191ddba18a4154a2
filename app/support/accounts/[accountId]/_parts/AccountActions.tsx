'use client'

import { Group } from '@mantine/core'
import { IconBan, IconEye, IconRotate } from '@tabler/icons-react'
import type { SupportAccount } from '#server/modules/backoffice/support/account'
import { useTRPC } from '../../../../_trpc/client'
import { ReasonButton } from '../../../_parts/ReasonButton'

/** Renders the buttons that view an account as its owner, and suspend or restore it. */
export function AccountActions({ account: { id: accountId, name, suspendedAt } }: { account: SupportAccount }) {
  const trpc = useTRPC()
  return (
    <Group gap="xs">
      <ReasonButton
        icon={<IconEye size={15} />}
        // A full load: nothing of one's own account stays in this tab.
        options={trpc.support.beginOwnerView.mutationOptions({ onSuccess: () => window.location.assign('/') })}
        action={{
          title: `View ${name} as its owner?`,
          description:
            'This browser shows the account’s dashboard for 30 minutes. You cannot change anything or see secrets and media. We record when the view starts and ends.',
          confirm: 'View as owner',
          readers: 'Owners see it in the audit log.',
          done: 'Opening the dashboard.',
          input: { accountId },
        }}
      />
      <ReasonButton
        icon={suspendedAt ? <IconRotate size={15} /> : <IconBan size={15} />}
        options={trpc.support.setSuspended.mutationOptions()}
        action={
          suspendedAt
            ? {
                title: `Restore ${name}?`,
                description: 'Its API keys, videos and webhooks work again.',
                confirm: 'Restore account',
                done: 'Account restored.',
                input: { accountId, suspended: false },
              }
            : {
                title: `Suspend ${name}?`,
                description:
                  'Within a second, we refuse its API keys, its videos stop playing and its webhooks pause. Members can still sign in and view the account.',
                confirm: 'Suspend account',
                harms: true,
                done: 'Account suspended.',
                input: { accountId, suspended: true },
              }
        }
      />
    </Group>
  )
}
