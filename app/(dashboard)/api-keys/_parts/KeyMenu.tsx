'use client'

import { ActionIcon, Menu } from '@mantine/core'
import { IconAdjustments, IconBan, IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react'
import type { ListedKey } from '#server/key/list'
import { mayBe } from '#server/key/state'
import { useKeyActions } from '../../_parts/keys/use-key-actions'
import type { KeyDialog } from './KeyDialogs'

/** What can be done to a key from its row: what the state table allows. */
export function KeyMenu({ subject, onAsk }: { subject: ListedKey; onAsk: (to: KeyDialog, key: ListedKey) => void }) {
  const { disable, enable } = useKeyActions(subject)
  if (!mayBe(subject.state, 'edit')) return null
  return (
    <Menu position="bottom-end" width={190}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${subject.name}`}>
          <IconDots size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={15} />} onClick={() => onAsk('rename', subject)}>
          Rename
        </Menu.Item>
        <Menu.Item leftSection={<IconAdjustments size={15} />} onClick={() => onAsk('limits', subject)}>
          Expiry and addresses
        </Menu.Item>
        {mayBe(subject.state, 'rotate') && (
          <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => onAsk('rotate', subject)}>
            Rotate
          </Menu.Item>
        )}
        {mayBe(subject.state, 'disable') && (
          <Menu.Item leftSection={<IconPlayerPause size={15} />} onClick={disable}>
            Disable
          </Menu.Item>
        )}
        {mayBe(subject.state, 'enable') && (
          <Menu.Item leftSection={<IconPlayerPlay size={15} />} onClick={enable}>
            Enable
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item color="red" leftSection={<IconBan size={15} />} onClick={() => onAsk('revoke', subject)}>
          Revoke
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
