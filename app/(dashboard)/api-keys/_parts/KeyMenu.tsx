'use client'

import { ActionIcon, Menu } from '@mantine/core'
import {
  IconAdjustments,
  IconBan,
  IconDots,
  IconLockOpen,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
} from '@tabler/icons-react'
import { allowsAction, type KeyAction } from '#server/modules/access/keys/state'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { isByStaff } from '../../_parts/keys/disabled-by'
import { useKeyActions } from '../../_parts/keys/use-key-actions'
import type { KeyDialog } from './KeyDialogs'

/** Lists the actions on a key that its state allows. */
export function KeyMenu({ subject, onAsk }: { subject: ListedKey; onAsk: (to: KeyDialog, key: ListedKey) => void }) {
  const { enable } = useKeyActions(subject)
  const issues = subject.scopes.includes('video:read')
  const can = (action: KeyAction) => allowsAction(subject.state, action)
  if (!can('edit') && !issues) return null
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${subject.name}`}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {can('edit') && (
          <>
            <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => onAsk('rename', subject)}>
              Rename
            </Menu.Item>
            <Menu.Item leftSection={<IconLockOpen size={15} />} onClick={() => onAsk('scopes', subject)}>
              Scopes
            </Menu.Item>
            <Menu.Item leftSection={<IconAdjustments size={15} />} onClick={() => onAsk('limits', subject)}>
              Expiry and addresses
            </Menu.Item>
          </>
        )}
        {can('rotate') && (
          <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => onAsk('rotate', subject)}>
            Rotate
          </Menu.Item>
        )}
        {can('disable') && (
          <Menu.Item leftSection={<IconPlayerPause size={15} />} onClick={() => onAsk('disable', subject)}>
            Disable…
          </Menu.Item>
        )}
        {can('enable') && (
          <Menu.Item leftSection={<IconPlayerPlay size={15} />} onClick={isByStaff(subject) ? () => onAsk('enable', subject) : enable}>
            {isByStaff(subject) ? 'Enable…' : 'Enable'}
          </Menu.Item>
        )}
        {can('edit') && <Menu.Divider />}
        {issues && (
          <Menu.Item leftSection={<IconPlayerStop size={15} />} onClick={() => onAsk('endPlayback', subject)}>
            End playback…
          </Menu.Item>
        )}
        {can('revoke') && (
          <Menu.Item color="red" leftSection={<IconBan size={15} />} onClick={() => onAsk('revoke', subject)}>
            Revoke
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
