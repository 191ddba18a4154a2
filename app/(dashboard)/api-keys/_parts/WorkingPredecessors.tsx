import type { Rotation } from '#server/modules/dashboard/list-keys'
import { RelativeTime } from '../../../_ui/RelativeTime'

/** Names the replaced keys that still work, and until when; at least one. */
export function WorkingPredecessors({ keys }: { keys: readonly Rotation[] }) {
  return (
    <>
      {keys.map(({ id, prefix, revokedAt }, position) => (
        <span key={id}>
          {position > 0 && ', '}
          <code>{prefix}…</code>
          {revokedAt && (
            <>
              {' '}
              (expires <RelativeTime date={revokedAt} />)
            </>
          )}
        </span>
      ))}
    </>
  )
}
