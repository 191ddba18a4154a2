import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { Notice } from '../../../../_ui/Notice'
import { RelativeTime } from '../../../../_ui/RelativeTime'

/** Shows what a key's state means for its users; nothing for an active key. */
export function StateNotice({ subject: { state, revokedAt, expiresAt, disabledAt } }: { subject: ListedKey }) {
  if (state === 'ROTATING_OUT' && revokedAt) {
    return (
      <Notice tone="info">
        It was rotated. It works until its overlap ends <RelativeTime date={revokedAt} />; by then everything should use the key that
        replaced it. While requests still come, something does not.
      </Notice>
    )
  }
  if (state === 'DISABLED' && disabledAt) {
    return (
      <Notice tone="info">
        Disabled <RelativeTime date={disabledAt} />: every request with it is refused with INVALID_API_KEY until it is enabled again.
      </Notice>
    )
  }
  if (state === 'EXPIRED' && expiresAt) {
    return (
      <Notice tone="bad">
        Expired <RelativeTime date={expiresAt} />: every request with it is refused with INVALID_API_KEY. With a later end it works again.
      </Notice>
    )
  }
  if (state === 'REVOKED' && revokedAt) {
    return (
      <Notice tone="info">
        Revoked <RelativeTime date={revokedAt} />, for good. Its numbers stay here.
      </Notice>
    )
  }
  return null
}
