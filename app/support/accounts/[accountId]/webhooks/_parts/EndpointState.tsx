import type { EndpointOfList } from '#server/modules/webhooks/endpoints/list-endpoints'
import { DISABLED_REASONS } from '#server/modules/webhooks/endpoints/state'
import { RelativeTime } from '../../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../../_ui/StatusBadge'
import classes from '../../../../_parts/Lists.module.css'

/** Shows whether an endpoint receives deliveries, and why not. */
export function EndpointState({ endpoint: { disabledAt, disabledReason, failingSince } }: { endpoint: EndpointOfList }) {
  if (disabledAt) {
    return (
      <>
        <StatusBadge tone="neutral">Disabled</StatusBadge>
        {disabledReason && <div className={classes.reason}>{DISABLED_REASONS[disabledReason]}</div>}
      </>
    )
  }
  if (failingSince) {
    return (
      <>
        <StatusBadge tone="bad">Failing</StatusBadge>
        <div className={classes.reason}>
          for <RelativeTime date={failingSince} elapsed />
        </div>
      </>
    )
  }
  return <StatusBadge tone="good">Enabled</StatusBadge>
}
