'use client'

import { Modal, Stack, Switch } from '@mantine/core'
import { Fragment } from 'react'
import { PLACES } from '../places'
import classes from './Palette.module.css'
import { useShortcutsOn } from './use-shortcuts'

/** Lists the shortcuts. Single-letter shortcuts can be turned off. */
export function ShortcutsDialog({ commandKey, opened, onClose }: { commandKey: string; opened: boolean; onClose: () => void }) {
  const [isOn, setIsOn] = useShortcutsOn()
  const shortcuts = [
    { keys: [commandKey, 'K'], does: 'Search or run a command' },
    { keys: ['?'], does: 'List the shortcuts' },
    ...PLACES.map(({ letter, title }) => ({ keys: ['G', letter.toUpperCase()], does: `Go to ${title}` })),
    { keys: ['J'], does: 'Next request, under Requests' },
    { keys: ['K'], does: 'Previous request' },
  ]
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Stack gap="md">
        <dl className={classes.shortcuts}>
          {shortcuts.map(({ keys, does }) => (
            <Fragment key={does}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </Fragment>
          ))}
        </dl>
        <Switch
          label="Single-key shortcuts"
          description="Turn them off if speech input or an extension triggers them. ⌘K and Ctrl K always work."
          checked={isOn}
          onChange={(event) => setIsOn(event.currentTarget.checked)}
        />
      </Stack>
    </Modal>
  )
}
