import { Anchor } from '@mantine/core'
import type { WaitingChange } from '#server/modules/backoffice/support/approvals'
import { Link } from '../../../../_ui/Link'
import { Notice } from '../../../../_ui/Notice'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { describeChange } from '../../../_parts/describe-change'

/** Lists the changes of an account that await approval, so that no one proposes them again. */
export function WaitingChanges({ changes }: { changes: readonly WaitingChange[] }) {
  return changes.map(({ id, change, reason, proposedEmail, createdAt, expiresAt }) => (
    <Notice key={id} tone="info">
      <b>Awaiting approval: {describeChange(change)}.</b> Proposed by {proposedEmail} <RelativeTime date={createdAt} />: {reason}. It
      expires <RelativeTime date={expiresAt} />.{' '}
      <Anchor component={Link} href="/support/approvals" inherit underline="always">
        Approvals
      </Anchor>
    </Notice>
  ))
}
