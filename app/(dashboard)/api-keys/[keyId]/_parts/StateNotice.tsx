import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { Link } from '../../../../_ui/Link'
import { Notice } from '../../../../_ui/Notice'
import { RelativeTime } from '../../../../_ui/RelativeTime'

import { isByStaff } from '../../../_parts/keys/disabled-by'
import { replacementOf, stillWorking } from '../../../_parts/keys/rotations'
import { WorkingPredecessors } from '../../_parts/WorkingPredecessors'
import classes from './Rotations.module.css'

/** Shows what a key's state means for its users; nothing for an active key. */
export function StateNotice({ subject }: { subject: ListedKey }) {
  const { state, revokedAt, expiresAt, disabledAt, disabledBy } = subject
  const replacement = replacementOf(subject)
  const overlaps = stillWorking(subject)
  if (replacement && revokedAt)
    return (
      <Notice tone="info">
        This key was rotated {state === 'ROTATING_OUT' ? 'and stops' : 'and stopped'} working <RelativeTime date={revokedAt} />. The current
        key is{' '}
        <Link href={`/api-keys/${replacement.id}`} className={classes.link}>
          {replacement.prefix}…
        </Link>
        . Figures on this page cover all keys in the rotation.
      </Notice>
    )
  if (overlaps.length > 0)
    return (
      <Notice tone={state === 'REVOKED' || state === 'DISABLED' ? 'bad' : 'info'}>
        {state === 'ACTIVE' ? 'Rotated. The previous key still works: ' : 'This key no longer works, but the previous one does: '}
        <WorkingPredecessors keys={overlaps} />.{' '}
        {state === 'ACTIVE' ? 'Replace it wherever it is still used.' : 'End its overlap below to stop it.'}
      </Notice>
    )
  if (state === 'DISABLED' && disabledAt && disabledBy && isByStaff(subject)) {
    return (
      <Notice tone="bad">
        {disabledBy.kind === 'support' ? `Support (${disabledBy.name})` : 'The operator'} disabled this key{' '}
        <RelativeTime date={disabledAt} />
        {disabledBy.reason === null ? '. ' : `. Reason: ${disabledBy.reason}. `}
        Requests with this key fail with INVALID_API_KEY. If others may know its value, generate a new key and revoke this one.
      </Notice>
    )
  }
  if (state === 'DISABLED' && disabledAt) {
    return (
      <Notice tone="info">
        Disabled <RelativeTime date={disabledAt} />
        {disabledBy && ` by ${disabledBy.name}`}. Requests with this key fail with INVALID_API_KEY until you enable it.
      </Notice>
    )
  }
  if (state === 'EXPIRED' && expiresAt) {
    return (
      <Notice tone="bad">
        Expired <RelativeTime date={expiresAt} />. Requests with this key fail with INVALID_API_KEY. Extend the expiry to use it again.
      </Notice>
    )
  }
  if (state === 'REVOKED' && revokedAt) {
    return (
      <Notice tone="info">
        Revoked <RelativeTime date={revokedAt} />. You cannot undo this. Usage data stays available.
      </Notice>
    )
  }
  return null
}
