import { LIMITS } from '#server/limits'
import type { ShownChange } from '#server/modules/backoffice/support/approvals'
import { formatCredits, formatSignedCredits } from '#server/modules/billing/price-schema'
import { formatCount } from '../../_ui/format'
import { inUnit } from './limit-units'

/** Describes a proposed change, with what it replaces where that is known: “Storage: 1 TB → 2 TB”. */
export function describeChange(change: ShownChange): string {
  const from = (before: number | null, format: (value: number) => string) => (before === null ? 'default' : format(before))
  if (change.kind === 'balance')
    return `${formatSignedCredits(change.credits)} credits (balance ${formatCredits(change.before)} → ${formatCredits(change.after)})`
  if (change.kind === 'limit') {
    const format = (value: number) => inUnit(change.name, value)
    return `${LIMITS[change.name].title}: ${from(change.expected, format)} → ${format(change.value)}`
  }
  if (change.kind === 'tier') return 'Tier: free → paid'
  const before = change.kind === 'quota' ? `${from(change.expected, formatCount)} → ` : ''
  return `Daily quota of “${change.keyName}”: ${before}${formatCount(change.dailyQuota)} tokens`
}

/** What a notification says after a change became a proposal. */
export const SENT_FOR_APPROVAL = {
  title: 'Sent for approval',
  message: 'Nothing has changed yet. Another staff member must approve the change under Approvals.',
}
