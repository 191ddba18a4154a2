import type { KeyState } from '#server/modules/access/keys/state'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { StatusBadge } from '../../../_ui/StatusBadge'
import type { Tone } from '../../../_ui/theme'
import classes from './KeyStateBadge.module.css'

const SHOWN: Record<KeyState, { tone: Tone; title: string }> = {
  ACTIVE: { tone: 'good', title: 'Active' },
  ROTATING_OUT: { tone: 'warn', title: 'Expiring' },
  DISABLED: { tone: 'neutral', title: 'Disabled' },
  EXPIRED: { tone: 'neutral', title: 'Expired' },
  REVOKED: { tone: 'neutral', title: 'Revoked' },
}

/** Shows a key's state in a word. */
export function KeyStateBadge({ state }: Pick<ListedKey, 'state'>) {
  return <StatusBadge tone={SHOWN[state].tone}>{SHOWN[state].title}</StatusBadge>
}

/** Shows whether the key is live or test. */
export function EnvironmentTag({ environment }: Pick<ListedKey, 'environment'>) {
  return (
    <span className={classes.kind} data-kind={environment}>
      {environment === 'LIVE' ? 'Live' : 'Test'}
    </span>
  )
}
