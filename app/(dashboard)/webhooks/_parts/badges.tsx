import type { ListedDelivery } from '#server/modules/webhooks/list-deliveries'
import type { ListedEndpoint } from '#server/modules/webhooks/presenter'
import { MAX_ATTEMPTS } from '#server/modules/webhooks/state'
import { StatusBadge } from '../../../_ui/StatusBadge'

/** Whether an endpoint gets events, and how that goes. */
export function EndpointState({ endpoint }: { endpoint: Pick<ListedEndpoint, 'disabledAt' | 'failingSince'> }) {
  if (endpoint.disabledAt) return <StatusBadge tone="neutral">Disabled</StatusBadge>
  return endpoint.failingSince ? <StatusBadge tone="bad">Failing</StatusBadge> : <StatusBadge tone="good">Enabled</StatusBadge>
}

/** How far a delivery is. */
export function DeliveryState({ delivery }: { delivery: Pick<ListedDelivery, 'status' | 'sending' | 'attempts'> }) {
  if (delivery.status === 'DELIVERED') return <StatusBadge tone="good">Delivered</StatusBadge>
  if (delivery.status === 'DEAD') return <StatusBadge tone="bad">Dead letter</StatusBadge>
  if (delivery.sending || delivery.attempts === 0)
    return (
      <StatusBadge tone="info" live>
        Sending
      </StatusBadge>
    )
  return (
    <StatusBadge tone="warn">
      Failed {delivery.attempts} of {MAX_ATTEMPTS}
    </StatusBadge>
  )
}
