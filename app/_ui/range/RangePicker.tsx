'use client'

import { Button, Popover } from '@mantine/core'
import { IconCalendar, IconChevronDown } from '@tabler/icons-react'
import { useState } from 'react'
import { useTimeZone } from '../time-zone'
import { RangeChoice, type RangeOptions } from './RangeChoice'
import classes from './RangePicker.module.css'
import { instantOf, type RangeName, type RangeValue, rangeText, wallOf } from './range-text'

interface Props<Name extends RangeName> extends RangeOptions<Name> {
  value: RangeValue<Name>
  onChange: (value: RangeValue<Name>) => void
  /** Names the button for screen readers, before its value. */
  label?: string
  size?: 'xs' | 'sm'
  /** Whether it is within a popover, which a click into a portal would close. */
  nested?: boolean
}

/**
 * Renders the choice of a range of time: named ranges, which move with the present time, and custom ones. Days are UTC days; instants follow the
 * reader's choice of a time zone.
 */
export function RangePicker<Name extends RangeName>({ value, onChange, label = 'Range', size = 'sm', nested, ...options }: Props<Name>) {
  const [opened, setOpened] = useState(false)
  const [chosenZone] = useTimeZone()
  const zone = options.timed ? chosenZone : 'UTC'
  const shown = { ...value, from: wallOf(value.from, zone), to: wallOf(value.to, zone) }
  const text = rangeText(shown, options.any ?? '')
  const zoneName = zone === 'UTC' ? 'UTC' : 'local'
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
          aria-label={`${label}: ${text} ${zoneName}`}
          onClick={() => setOpened(!opened)}
          // The focus moves into the dropdown a moment after it opens.
          onKeyDown={({ key }) => key === 'Escape' && setOpened(false)}
        >
          {text} <span className={classes.zone}>{zoneName}</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label={`Choose: ${label.toLowerCase()}`}>
        <RangeChoice
          {...options}
          value={shown}
          zone={zone}
          onChange={({ from, to, ...chosen }) => {
            setOpened(false)
            const instant = (at: string) => (options.timed ? instantOf(at, zone) : at)
            onChange({ ...chosen, ...(from && { from: instant(from) }), ...(to && { to: instant(to) }) })
          }}
        />
      </Popover.Dropdown>
    </Popover>
  )
}
