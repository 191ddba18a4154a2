import { Anchor } from '@mantine/core'
import { formatSignedCredits } from '#server/modules/pricing/schema'
import type { WaitingChange } from '#server/modules/support/approvals'
import { Link } from '../../../../_ui/Link'
import { Notice } from '../../../../_ui/Notice'
import { RelativeTime } from '../../../../_ui/RelativeTime'

/** Lists the changes of an account's balance that await approval, so that no one proposes it again; nothing without any. */
export function WaitingChanges({ changes }: { changes: readonly WaitingChange[] }) {
  return changes.map(({ id, credits, reason, proposedEmail, createdAt, expiresAt }) => (
    <Notice key={id} tone="info">
      <b>{formatSignedCredits(credits)} credits await approval.</b> Proposed by {proposedEmail} <RelativeTime date={createdAt} />: {reason}.
      The proposal expires <RelativeTime date={expiresAt} />.{' '}
      <Anchor component={Link} href="/support/approvals" inherit underline="always">
        Approvals
      </Anchor>
    </Notice>
  ))
}
