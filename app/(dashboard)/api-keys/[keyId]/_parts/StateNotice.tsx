import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { Notice } from '../../../../_ui/Notice'
import { RelativeTime } from '../../../../_ui/RelativeTime'

/** Shows what a key's state means for its users; nothing for an active key. */
export function StateNotice({ subject: { state, revokedAt, expiresAt, disabledAt } }: { subject: ListedKey }) {
  if (state === 'ROTATING_OUT' && revokedAt) {
    return (
      <Notice tone="info">
        This key was rotated and stops working <RelativeTime date={revokedAt} />. Replace it with the new key wherever it is still used.
      </Notice>
    )
  }
  if (state === 'DISABLED' && disabledAt) {
    return (
      <Notice tone="info">
        Disabled <RelativeTime date={disabledAt} />. Requests with this key are refused with INVALID_API_KEY until you enable it.
      </Notice>
    )
  }
  if (state === 'EXPIRED' && expiresAt) {
    return (
      <Notice tone="bad">
        Expired <RelativeTime date={expiresAt} />. Requests with this key are refused with INVALID_API_KEY. Extend the expiry to use it
        again.
      </Notice>
    )
  }
  if (state === 'REVOKED' && revokedAt) {
    return (
      <Notice tone="info">
        Revoked <RelativeTime date={revokedAt} />. Revocation is permanent. Usage data remains available.
      </Notice>
    )
  }
  return null
}
