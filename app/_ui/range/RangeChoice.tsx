'use client'

import { Button, Skeleton, TextInput } from '@mantine/core'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { DAY_RANGES, type DayRangeName, daysNamed } from '#server/platform/text/day-ranges'
import classes from './RangePicker.module.css'
import { endsOf, fieldText, lastDayOf, problemOf, RANGE_LABELS, type RangeName, type RangeValue, readField, wallOf } from './range-text'

// Larger than the rest of most pages' own code, and needed for custom ranges only.
const RangeCalendar = dynamic(() => import('./RangeCalendar').then((module) => module.RangeCalendar), {
  ssr: false,
  loading: () => <Skeleton height={266} />,
})

export interface RangeOptions<Name extends RangeName> {
  /** Named ranges, in order. */
  presets: readonly Name[]
  /** Label of the empty value, which is all of time; without it a range is always chosen, with both ends. */
  any?: string
  /** Whether ends have a time of day: then they are instants. */
  timed?: boolean
  /** The first day that has data, and the maximum number of days. */
  earliest?: string
  maxDays?: number
}

interface Props<Name extends RangeName> extends RangeOptions<Name> {
  value: RangeValue<Name>
  /** Of instants, which `value` has as the clock there shows them. */
  zone: string
  onChange: (value: RangeValue<Name>) => void
}

const isDayRange = (name: string): name is DayRangeName => (DAY_RANGES as readonly string[]).includes(name)

/** Renders the named ranges, and two fields with a calendar for a custom one. */
export function RangeChoice<Name extends RangeName>({
  value,
  zone,
  onChange,
  presets,
  any,
  timed = false,
  earliest,
  maxDays,
}: Props<Name>) {
  const today = wallOf(new Date().toISOString(), zone).slice(0, 10)
  const [draft, setDraft] = useState(() => {
    if (!value.range) return { from: fieldText(value.from), to: fieldText(value.to) }
    const days = isDayRange(value.range) ? daysNamed(value.range, today) : undefined
    return days ? endsOf(days.from, days.to, timed) : { from: '', to: '' }
  })
  const [problem, setProblem] = useState<{ from?: string; to?: string }>({})
  const change = (part: Partial<typeof draft>) => {
    setDraft({ ...draft, ...part })
    setProblem({})
  }
  const apply = () => {
    const ends = { from: readField(draft.from, timed), to: readField(draft.to, timed) }
    const found = problemOf(ends, { timed, open: any !== undefined, maxDays })
    setProblem(found)
    if (found.from || found.to) return
    onChange({ ...(ends.from && { from: ends.from }), ...(ends.to && { to: ends.to }) })
  }
  const empty = !value.range && !value.from && !value.to
  return (
    <div className={classes.choice}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has a layout of its own in every browser */}
      <div className={classes.presets} data-scrolls role="group" aria-label="Named ranges">
        {any !== undefined && (
          <button type="button" className={classes.preset} aria-pressed={empty} onClick={() => onChange({})}>
            {any}
          </button>
        )}
        {presets.map((name) => (
          <button
            key={name}
            type="button"
            className={classes.preset}
            aria-pressed={value.range === name}
            onClick={() => onChange({ range: name })}
          >
            {RANGE_LABELS[name]}
          </button>
        ))}
      </div>
      {/* Not a form: the picker can be part of one. */}
      <div className={classes.custom}>
        <div className={classes.fields}>
          {(['from', 'to'] as const).map((end) => (
            <TextInput
              key={end}
              size="xs"
              classNames={{ input: classes.field as string }}
              label={end === 'from' ? 'From' : timed ? 'Until' : 'To'}
              placeholder={timed ? `${today} 09:00` : 'YYYY-MM-DD'}
              autoComplete="off"
              maxLength={timed ? 16 : 10}
              value={draft[end]}
              error={problem[end]}
              onChange={(event) => change({ [end]: event.currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                event.preventDefault()
                apply()
              }}
            />
          ))}
        </div>
        <RangeCalendar
          from={readField(draft.from, timed)?.slice(0, 10) ?? null}
          to={lastDayOf(draft.to, timed)}
          min={earliest}
          max={today}
          onChange={(first, last) => {
            const ends = endsOf(first ?? last ?? today, last ?? first ?? today, timed)
            change({ from: ends.from, to: last ? ends.to : '' })
          }}
        />
        <div className={classes.foot}>
          <p className={classes.note}>
            {timed ? `Times are in ${zone === 'UTC' ? 'UTC' : 'your time zone'}.` : 'Days begin at midnight UTC.'}
          </p>
          <Button size="xs" onClick={apply}>
            Apply
          </Button>
        </div>
      </div>
    </div>
  )
}
