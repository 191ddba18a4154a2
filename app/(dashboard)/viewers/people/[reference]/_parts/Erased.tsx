import { Button, Group } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { Link } from '../../../../../_ui/Link'
import { EmptyState } from '../../../../../_ui/page/EmptyState'
import { DownloadReceipt } from '../../../../_parts/DownloadReceipt'

/** Shows that a person was erased, and offers the receipt. */
export const Erased = ({ receiptId }: { receiptId: string }) => (
  <EmptyState
    icon={<IconCheck size={20} />}
    title="Viewer erased"
    wholePage
    framed
    action={
      <Group gap="xs" justify="center">
        <DownloadReceipt receiptId={receiptId} />
        <Button component={Link} href="/viewers/people" size="compact-sm" variant="default">
          All people
        </Button>
      </Group>
    }
  >
    We deleted the viewer’s ID, sessions and viewing history. The signed receipt is also under Settings → Receipts.
  </EmptyState>
)
