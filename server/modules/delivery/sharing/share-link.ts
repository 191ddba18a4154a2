import { serviceNow } from '../../../platform/database/clock.ts'
import type { ShareState } from './schema.ts'

/** What decides whether a link opens its video. */
interface Terms {
  expiresAt: Date
  revokedAt: Date | null
  maxViews: number | null
  views: number
}

/** Returns the state of a link; what its owner did comes before what time and viewers did. */
export function shareState({ expiresAt, revokedAt, maxViews, views }: Terms): ShareState {
  if (revokedAt) return 'revoked'
  if (expiresAt.getTime() <= serviceNow()) return 'expired'
  return maxViews !== null && views >= maxViews ? 'used' : 'active'
}
