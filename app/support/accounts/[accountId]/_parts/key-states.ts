import type { KeyState } from '#server/modules/access/keys/state'
import type { Tone } from '../../../../_ui/theme'

/** How an API key's state is shown. */
export const KEY_STATES: Record<KeyState, { tone: Tone; title: string }> = {
  ACTIVE: { tone: 'good', title: 'Active' },
  ROTATING_OUT: { tone: 'warn', title: 'Expiring' },
  DISABLED: { tone: 'neutral', title: 'Disabled' },
  EXPIRED: { tone: 'neutral', title: 'Expired' },
  REVOKED: { tone: 'neutral', title: 'Revoked' },
}
