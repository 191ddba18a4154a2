'use client'

import { Anchor, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { QuotaRequestLine } from '#server/modules/access/quotas/quota-requests'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount } from '../../../../_ui/format'
import { Link } from '../../../../_ui/Link'
import { Panel } from '../../../../_ui/Panel'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import { useDialog } from '../../../../_ui/use-dialog'
import { useMay } from '../../../_parts/permissions'
import { useAsked } from '../../../_parts/use-asked'
import classes from './HigherQuota.module.css'

const RequestQuotaDialog = dynamic(() => import('./RequestQuotaDialog').then((module) => module.RequestQuotaDialog), { ssr: false })

const SHOWN = {
  OPEN: { tone: 'neutral', title: 'Pending' },
  APPROVED: { tone: 'good', title: 'Approved' },
  DECLINED: { tone: 'neutral', title: 'Declined' },
} as const

/** Shows the quota requests for this key, and the button that creates one. */
export function HigherQuota({ keyId, keyName }: { keyId: string; keyName: string }) {
  const trpc = useTRPC()
  const mayAsk = useMay('billing.change')
  const [dialog, request] = useDialog()
  const { data: requests } = useQuery(trpc.billing.quotaRequests.queryOptions({ keyId }, { refetchOnWindowFocus: true, staleTime: 10_000 }))
  const { data: billing } = useQuery(trpc.billing.overview.queryOptions(undefined, { refetchOnWindowFocus: true, staleTime: 10_000 }))
  useAsked(mayAsk && billing?.tier === 'PAID' ? ['quota'] : [], () => request())
  const isFree = billing?.tier === 'FREE'
  const waiting = requests?.some(({ status }) => status === 'OPEN')
  return (
    <Panel
      title="Daily quota"
      action={
        mayAsk &&
        requests &&
        billing?.tier === 'PAID' &&
        !waiting && (
          <Button size="compact-sm" variant="default" onClick={() => request()}>
            Request increase
          </Button>
        )
      }
    >
      {requests && requests.length > 0 ? (
        <ul className={classes.list}>
          {requests.map((request) => (
            <Line key={request.id} request={request} />
          ))}
        </ul>
      ) : (
        <Text size="sm" c="dimmed">
          {isFree ? (
            <>
              Only the paid tier has higher quotas.{' '}
              <Anchor component={Link} href="/billing" inherit underline="always">
                Switch tier under Billing
              </Anchor>
              , then request an increase here.
            </>
          ) : (
            'An owner can request a higher daily quota here. The operator decides.'
          )}
        </Text>
      )}
      {dialog && <RequestQuotaDialog key={dialog.times} keyId={keyId} keyName={keyName} {...dialog.props} />}
    </Panel>
  )
}

function Line({ request: { requestedQuota, reason, status, approvedQuota, resolutionNote, createdAt } }: { request: QuotaRequestLine }) {
  const { tone, title } = SHOWN[status]
  return (
    <li className={classes.line}>
      <div className={classes.head}>
        <b>{formatCount(requestedQuota)} tokens per day</b>
        <StatusBadge tone={tone}>{title}</StatusBadge>
        <span className={classes.when}>
          <RelativeTime date={createdAt} />
        </span>
      </div>
      <p>{reason}</p>
      {resolutionNote && (
        <p className={classes.note}>
          {approvedQuota !== null && approvedQuota !== requestedQuota && `${formatCount(approvedQuota)} per day approved. `}
          {resolutionNote}
        </p>
      )}
    </li>
  )
}
