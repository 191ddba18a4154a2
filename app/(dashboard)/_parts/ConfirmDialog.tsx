'use client'

import { Modal, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { DialogActions } from '../../_ui/form/DialogActions'
import { Notice } from '../../_ui/Notice'

interface Props {
  title: string
  /** The action's name on the button. */
  action: string
  opened: boolean
  onClose: () => void
  onConfirm: () => void
  /** Red unless given. */
  color?: string
  busy?: boolean | undefined
  /** Why it failed. */
  problem?: string | undefined
  children: ReactNode
}

/** Confirms an action that interrupts running use. The focus starts on Cancel, so that a repeated Enter does nothing. */
export function ConfirmDialog({ title, action, opened, onClose, onConfirm, color = 'red', busy, problem, children }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack gap="md">
        {problem && <Notice tone="bad">{problem}</Notice>}
        {children}
        <DialogActions onCancel={onClose} focusCancel color={color} loading={busy ?? false} onClick={onConfirm}>
          {action}
        </DialogActions>
      </Stack>
    </Modal>
  )
}
