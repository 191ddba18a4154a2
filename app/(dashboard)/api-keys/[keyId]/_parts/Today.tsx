import type { ListedKey } from '#server/key/list'
import { formatCount } from '../../../../_ui/format'
import { QuotaBar } from '../../../../_ui/QuotaBar'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import classes from './Today.module.css'

/** What the key did since midnight UTC, and what it may still do. */
export function Today({ subject: { name, today, dailyQuota, requestCount, lastUsedAt } }: { subject: ListedKey }) {
  return (
    <dl className={classes.figures}>
      <div>
        <dt>Requests today</dt>
        <dd>{formatCount(today.requests)}</dd>
        <dd className={classes.note}>{formatCount(requestCount)} in all</dd>
      </div>
      <div>
        <dt>Tokens issued today</dt>
        <dd>{formatCount(today.issued)}</dd>
        <dd className={classes.note}>{today.refused > 0 ? `${formatCount(today.refused)} refused` : 'none refused'}</dd>
      </div>
      <div>
        <dt>Quota left today</dt>
        <dd className={classes.quota}>
          <QuotaBar used={today.issued} limit={dailyQuota} of={name} />
        </dd>
        <dd className={classes.note}>starts anew at midnight UTC</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd className={classes.when}>{lastUsedAt ? <RelativeTime date={lastUsedAt} /> : 'Never'}</dd>
      </div>
    </dl>
  )
}
