import { ActionIcon, Button, Group, Menu, Title, Tooltip } from '@mantine/core'
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconClockEdit,
  IconDots,
  IconDownload,
  IconHistory,
  IconKeyboard,
  IconReplace,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { type Command, keysFor, labelOf } from '../../../../../../_parts/captions/shortcuts'
import classes from './Editor.module.css'

interface Props {
  title: string
  /** Whether it is saved and published. */
  state: ReactNode
  isApple: boolean
  canUndo: boolean
  canRedo: boolean
  canPublish: boolean
  hasDraft: boolean
  isBusy: boolean
  onCommand: (command: Command) => void
  onHistory: () => void
  onImport: () => void
  onExport: (format: 'vtt' | 'srt') => void
  onDiscard: () => void
}

/** Renders the title of the editor, what is saved, and the actions on all captions. */
export function EditorHeader(props: Props) {
  const { title, state, isApple, canUndo, canRedo, canPublish, hasDraft, isBusy, onCommand } = props
  const icon = (command: Command, name: string, Icon: typeof IconDots, enabled: boolean) => (
    <Tooltip label={labelOf(command, isApple)}>
      <ActionIcon variant="default" size={36} aria-label={name} disabled={!enabled} onClick={() => onCommand(command)}>
        <Icon size={17} />
      </ActionIcon>
    </Tooltip>
  )
  const keys = (command: Command) => <span className={classes.keys}>{keysFor(command, isApple)}</span>
  return (
    <Group component="header" justify="space-between" align="flex-start" gap="md" mb="md">
      <div className={classes.head}>
        <Title order={1}>{title}</Title>
        {state}
      </div>
      <Group gap="xs">
        {icon('undo', 'Undo', IconArrowBackUp, canUndo)}
        {icon('redo', 'Redo', IconArrowForwardUp, canRedo)}
        <Menu position="bottom-end" width={250}>
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label="More actions">
              <IconDots size={17} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconReplace size={15} />} rightSection={keys('find')} onClick={() => onCommand('find')}>
              Find and replace
            </Menu.Item>
            <Menu.Item leftSection={<IconClockEdit size={15} />} rightSection={keys('shift')} onClick={() => onCommand('shift')}>
              Shift times…
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item leftSection={<IconUpload size={15} />} onClick={props.onImport}>
              Import a file…
            </Menu.Item>
            <Menu.Item leftSection={<IconDownload size={15} />} onClick={() => props.onExport('srt')}>
              Export SRT
            </Menu.Item>
            <Menu.Item leftSection={<IconDownload size={15} />} onClick={() => props.onExport('vtt')}>
              Export WebVTT
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item leftSection={<IconHistory size={15} />} onClick={props.onHistory}>
              Version history
            </Menu.Item>
            <Menu.Item leftSection={<IconKeyboard size={15} />} rightSection={keys('help')} onClick={() => onCommand('help')}>
              Keyboard shortcuts
            </Menu.Item>
            <Menu.Item
              c={hasDraft ? 'var(--mantine-color-error)' : undefined}
              leftSection={<IconTrash size={15} />}
              disabled={!hasDraft || isBusy}
              onClick={props.onDiscard}
            >
              Discard draft
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
        <Tooltip label={labelOf('publish', isApple)}>
          <Button loading={isBusy} disabled={!canPublish} onClick={() => onCommand('publish')}>
            Publish
          </Button>
        </Tooltip>
      </Group>
    </Group>
  )
}
