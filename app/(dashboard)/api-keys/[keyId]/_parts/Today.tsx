'use client'

import { Anchor } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount } from '../../../../_ui/format'
import { Link } from '../../../../_ui/Link'
import { QuotaBar } from '../../../../_ui/QuotaBar'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import type { KeyRange } from './KeyUsage'
import classes from './Today.module.css'

/** Shows what the key did since midnight UTC, how much of its quota is used, and its last use. */
export function Today({ subject, range }: { subject: ListedKey; range: KeyRange }) {
  const { id: keyId, name, today, dailyQuota, exhaustedAt, held, requestCount, lastUsedAt } = subject
  const trpc = useTRPC()
  // The same query as that of the panel below.
  const { data } = useQuery(
    trpc.traffic.key.queryOptions({ keyId, ...range }, { placeholderData: keepPreviousData, refetchInterval: 30_000 }),
  )
  const from = data?.lastUsed
  return (
    <dl className={classes.figures}>
      <div>
        <dt>Requests today</dt>
        <dd>{formatCount(today.requests)}</dd>
        <dd className={classes.note}>{formatCount(requestCount)} in total</dd>
      </div>
      <div>
        <dt>Tokens issued today</dt>
        <dd>{formatCount(today.issued)}</dd>
        <dd className={classes.note}>{today.refused > 0 ? `${formatCount(today.refused)} refused` : '0 refused'}</dd>
      </div>
      <div>
        <dt>Quota used today</dt>
        <dd className={classes.quota}>
          <QuotaBar used={today.counted} limit={dailyQuota} of={name} exhaustedAt={exhaustedAt} />
        </dd>
        <dd className={classes.note}>{held ? <Held by={held} /> : 'resets at midnight UTC'}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd className={classes.when}>{lastUsedAt ? <RelativeTime date={lastUsedAt} /> : 'Never'}</dd>
        {from?.address && (
          <dd className={classes.note}>
            from <code className={classes.address}>{from.address}</code>
          </dd>
        )}
        {from?.userAgent && (
          <dd className={classes.agent} title={from.userAgent}>
            {from.userAgent}
          </dd>
        )}
      </div>
    </dl>
  )
}

const HELD = {
  credit: { says: 'the balance is empty', href: '/billing' },
  account_cap: { says: 'the account’s spending cap is reached', href: '/billing/limits' },
  key_cap: { says: 'the key’s spending cap is reached', href: '/billing/limits' },
} as const

/** Says why a key of a paying account has the free quota, with a link to what changes it. */
function Held({ by }: { by: keyof typeof HELD }) {
  const { says, href } = HELD[by]
  return (
    <>
      free quota:{' '}
      <Anchor component={Link} href={href} inherit underline="always">
        {says}
      </Anchor>
    </>
  )
}
