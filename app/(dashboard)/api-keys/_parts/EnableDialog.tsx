'use client'

import { Text } from '@mantine/core'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { ConfirmDialog } from '../../_parts/ConfirmDialog'
import { useKeyActions } from '../../_parts/keys/use-key-actions'

/** Confirms that a key which support disabled is enabled, and repeats their reason. */
export function EnableDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const { enable } = useKeyActions(subject)
  const reason = subject.disabledBy?.reason
  return (
    <ConfirmDialog
      title={`Enable “${subject.name}”?`}
      action="Enable key"
      opened={opened}
      onClose={onClose}
      onConfirm={() => {
        onClose()
        enable()
      }}
    >
      <Text size="sm">
        {subject.disabledBy?.kind === 'support' ? 'Support' : 'The operator'} disabled this key{reason && <>. Reason: {reason}</>}. Enable
        it only if that is resolved: everyone who knows its value can use it again.
      </Text>
    </ConfirmDialog>
  )
}
