import { StatusBadge } from '../../_ui/StatusBadge'

export function TierBadge({ tier }: { tier: 'FREE' | 'PAID' }) {
  return tier === 'PAID' ? <StatusBadge tone="info">Paid</StatusBadge> : <StatusBadge tone="neutral">Free</StatusBadge>
}
