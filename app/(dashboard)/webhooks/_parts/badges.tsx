import type { ListedDelivery } from '#server/modules/webhooks/delivery/list-deliveries'
import type { ListedEndpoint } from '#server/modules/webhooks/endpoints/list-endpoints'
import { attemptsOf } from '#server/modules/webhooks/endpoints/state'
import { StatusBadge } from '../../../_ui/StatusBadge'

/** Shows whether an endpoint receives events, and whether deliveries succeed. */
export function EndpointState({ endpoint }: { endpoint: Pick<ListedEndpoint, 'disabledAt' | 'failingSince'> }) {
  if (endpoint.disabledAt) return <StatusBadge tone="neutral">Disabled</StatusBadge>
  return endpoint.failingSince ? <StatusBadge tone="bad">Failing</StatusBadge> : <StatusBadge tone="good">Enabled</StatusBadge>
}

/** Shows the state of a delivery. */
export function DeliveryState({ delivery }: { delivery: Pick<ListedDelivery, 'status' | 'sending' | 'attemptCount' | 'retrySchedule'> }) {
  if (delivery.status === 'DELIVERED') return <StatusBadge tone="good">Delivered</StatusBadge>
  if (delivery.status === 'DEAD') return <StatusBadge tone="bad">Dead letter</StatusBadge>
  if (delivery.sending || delivery.attemptCount === 0)
    return (
      <StatusBadge tone="info" live>
        Sending
      </StatusBadge>
    )
  return (
    <StatusBadge tone="warn">
      Failed {delivery.attemptCount} of {attemptsOf(delivery.retrySchedule)}
    </StatusBadge>
  )
}
