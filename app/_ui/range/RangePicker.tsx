'use client'

import { Button, Popover } from '@mantine/core'
import { IconCalendar, IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import { RangeChoice, type RangeOptions } from './RangeChoice'
import classes from './RangePicker.module.css'
import { type RangeName, type RangeValue, rangeText } from './range-text'

interface Props<Name extends RangeName> extends RangeOptions<Name> {
  value: RangeValue<Name>
  onChange: (value: RangeValue<Name>) => void
  /** Names the button for screen readers, before its value. */
  label?: string
  size?: 'xs' | 'sm'
  /** Whether it is within a popover, which a click into a portal would close. */
  nested?: boolean
}

/** Renders the choice of a range of time: named ranges, which move with the present time, and custom ones. Everything is in UTC. */
export function RangePicker<Name extends RangeName>({ value, onChange, label = 'Range', size = 'sm', nested, ...options }: Props<Name>) {
  const [opened, setOpened] = useState(false)
  const text = rangeText(value, options.any ?? '')
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      withinPortal={!nested}
      trapFocus
      returnFocus
      shadow="md"
      radius="md"
      keepMounted={false}
      // On a phone its end is reached by scrolling, which moves the button out of view.
      hideDetached={false}
      middlewares={{ flip: true, shift: { padding: 12 } }}
    >
      <Popover.Target>
        <Button
          className={classes.button}
          variant="default"
          size={size}
          leftSection={<IconCalendar size={15} />}
          rightSection={<IconChevronDown size={14} />}
          aria-label={`${label}: ${text} UTC`}
          onClick={() => setOpened(!opened)}
          // The focus moves into the dropdown a moment after it opens.
          onKeyDown={({ key }) => key === 'Escape' && setOpened(false)}
        >
          {text} <span className={classes.zone}>UTC</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label={`Choose: ${label.toLowerCase()}`}>
        <RangeChoice
          {...options}
          value={value}
          onChange={(chosen) => {
            setOpened(false)
            onChange(chosen)
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
