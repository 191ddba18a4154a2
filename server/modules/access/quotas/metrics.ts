import { counter } from '../../../platform/observe/metrics.ts'
import type { QuotaUnit } from './batched-grant.ts'

const grants = counter('reelgate_quota_grants_total', 'Units of quota granted (playback tokens).')

const refusals = counter('reelgate_quota_refusals_total', 'Requests for playback tokens that the quota refused, by reason.', {
  reason: ['key_quota', 'credit', 'account_cap', 'key_cap', 'account_free'],
})

export const QUOTA_METRICS = [grants, refusals]

/** Counts a unit that was granted or refused. */
export function measureQuota({ granted, held }: QuotaUnit): void {
  if (granted) grants.add({})
  else refusals.add({ reason: held ?? 'key_quota' })
}
