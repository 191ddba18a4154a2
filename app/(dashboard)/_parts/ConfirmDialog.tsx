'use client'

import { Button, Group, Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { Notice } from '../../_ui/Notice'

interface Props {
  title: string
  /** The action's name on the button. */
  action: string
  opened: boolean
  onClose: () => void
  onConfirm: () => void
  busy?: boolean | undefined
  /** Why it failed. */
  problem?: string | undefined
  children: ReactNode
}

/** Confirms an action that interrupts running use. The focus starts on Cancel, so that a repeated Enter does nothing. */
export function ConfirmDialog({ title, action, opened, onClose, onConfirm, busy, problem, children }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack gap="md">
        {problem && <Notice tone="bad">{problem}</Notice>}
        {children}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={busy ?? false} onClick={onConfirm}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
