'use client'

import { Button } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTRPC } from '../../_trpc/client'
import { formatClock } from '../../_ui/format'
import { useTimeZone } from '../../_ui/time-zone'
import classes from './OwnerViewBanner.module.css'

interface Props {
  account: string
  ownerEmail: string
  expiresAt: Date
}

/** Loads the pages of support staff again, so that no data of the viewed account stays in this tab. */
const leave = (accountId?: string | null) => window.location.assign(accountId ? `/support/accounts/${accountId}` : '/support')

/** Shows on every page that support staff view the account as its owner, until when, and ends the view. */
export function OwnerViewBanner({ account, ownerEmail, expiresAt }: Props) {
  const trpc = useTRPC()
  const [zone] = useTimeZone()
  const end = useMutation(
    trpc.support.endOwnerView.mutationOptions({ onSuccess: ({ accountId }) => leave(accountId), onError: () => leave() }),
  )
  useEffect(() => {
    const timer = setTimeout(() => leave(), Math.max(0, expiresAt.getTime() - Date.now()))
    return () => clearTimeout(timer)
  }, [expiresAt])
  return (
    <section className={classes.banner} aria-label="View as owner">
      <IconEye size={18} />
      <div className={classes.text}>
        <b>
          You are viewing {account} as its owner, {ownerEmail}.
        </b>{' '}
        This view is read-only and ends at {formatClock(expiresAt, zone)}. The audit log of the account records it.
      </div>
      <Button size="compact-sm" variant="default" loading={end.isPending} onClick={() => end.mutate()}>
        End view
      </Button>
    </section>
  )
}
