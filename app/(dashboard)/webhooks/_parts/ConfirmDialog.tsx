import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Notice } from '../../../_ui/Notice'

interface Props {
  title: string
  children: ReactNode
  /** The label of the confirming button. */
  verb: string
  bad?: boolean
  busy: boolean
  error?: string
  onConfirm: () => void
  opened: boolean
  onClose: () => void
}

/** Confirms an action that cannot be undone. */
export function ConfirmDialog({ title, children, verb, bad, busy, error, onConfirm, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack gap="md">
        {error && <Notice tone="bad">{error}</Notice>}
        <Text>{children}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color={bad ? 'red' : undefined} loading={busy} onClick={onConfirm}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
