'use client'

import '@mantine/dates/styles.css'
import { DatePicker } from '@mantine/dates'
import { useState } from 'react'

interface Props {
  from: string | null
  to: string | null
  min: string | undefined
  max: string
  onChange: (from: string | null, to: string | null) => void
}

const LABELS = {
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  previousYear: 'Previous year',
  nextYear: 'Next year',
  previousDecade: 'Previous decade',
  nextDecade: 'Next decade',
}

/** Renders a month in which the first and the last day of a range are chosen. Days are `YYYY-MM-DD`, of no time zone. */
export function RangeCalendar({ from, to, min, max, onChange }: Props) {
  const latest = (day: string) => (day > max ? max : day)
  const wanted = latest(to ?? from ?? max)
  const [followed, setFollowed] = useState(wanted)
  const [shown, setShown] = useState(wanted)
  // The month follows what is typed in the fields.
  if (wanted !== followed) {
    setFollowed(wanted)
    if (wanted.slice(0, 7) !== shown.slice(0, 7)) setShown(wanted)
  }
  return (
    <DatePicker
      type="range"
      size="sm"
      allowSingleDateInRange
      hideOutsideDates
      // In red, which is the colour of errors.
      weekendDays={[]}
      value={[from, to]}
      date={shown}
      onDateChange={setShown}
      {...(min && { minDate: min })}
      maxDate={max}
      onChange={([first, last]) => onChange(first, last)}
      ariaLabels={LABELS}
    />
  )
}
