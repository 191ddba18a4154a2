import { LIMITS } from '#server/limits'
import type { ShownChange } from '#server/modules/backoffice/support/approvals'
import { formatSignedCredits } from '#server/modules/billing/price-schema'
import { formatCount } from '../../_ui/format'
import { inUnit } from './limit-units'

/** Describes a proposed change: “+5,000 credits”, “Storage: 2 TB”. */
export function describeChange(change: ShownChange): string {
  if (change.kind === 'balance') return `${formatSignedCredits(change.credits)} credits`
  if (change.kind === 'limit') return `${LIMITS[change.name].title}: ${inUnit(change.name, change.value)}`
  if (change.kind === 'tier') return 'Paid tier'
  return `Daily quota of “${change.keyName}”: ${formatCount(change.dailyQuota)} tokens`
}

/** What a notification says after a change became a proposal. */
export const SENT_FOR_APPROVAL = {
  title: 'Sent for approval',
  message: 'Nothing has changed yet. Another member of staff must approve the change under Approvals.',
}
