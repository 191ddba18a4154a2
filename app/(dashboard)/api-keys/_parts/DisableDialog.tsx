'use client'

import { Text } from '@mantine/core'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { Notice } from '../../../_ui/Notice'
import { ConfirmDialog } from '../../_parts/ConfirmDialog'
import { LastHour } from '../../_parts/keys/LastHour'
import { stillWorking } from '../../_parts/keys/rotations'
import { useKeyActions } from '../../_parts/keys/use-key-actions'

import { WorkingPredecessors } from './WorkingPredecessors'

/** Confirms that a key is disabled, and shows what used it in the last hour. */
export function DisableDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const overlaps = stillWorking(subject)
  const { disable } = useKeyActions(subject)
  return (
    <ConfirmDialog
      title={`Disable “${subject.name}”?`}
      action="Disable key"
      opened={opened}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        disable()
      }}
    >
      <LastHour keyId={subject.id} opened={opened} />
      <Text size="sm">
        Requests with this key fail until you enable it again. Open playback sessions continue; to stop them, use End playback.
      </Text>
      {overlaps.length > 0 && (
        <Notice tone="info">
          The previous key <WorkingPredecessors keys={overlaps} /> keeps working. To stop it, end its overlap on the page of this key.
        </Notice>
      )}
    </ConfirmDialog>
  )
}
