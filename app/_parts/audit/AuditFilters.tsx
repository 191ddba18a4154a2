'use client'

import { Button, Select } from '@mantine/core'
import { actionDescription } from '#server/audit-actions'
import type { AuditFilterOptions } from '#server/modules/audit/read'
import type { AuditFilter } from '#server/modules/audit/schema'
import { DAY_RANGES } from '#server/platform/text/day-ranges'
import { IdChip } from '../../_ui/IdChip'
import { RangePicker } from '../../_ui/range/RangePicker'
import classes from './AuditLog.module.css'

interface Props {
  filter: AuditFilter
  choices: AuditFilterOptions
  onChange: (filter: AuditFilter) => void
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const LABEL = { system: '', person: '', key: ' (key)', support: ' (support)', operator: '' }

/** Filters the log by actor, by action, and by UTC days. Another page's link can filter it by the changed object. */
export function AuditFilters({ filter, choices, onChange }: Props) {
  const people = choices.actors.map(({ id, name, kind }) => ({ value: id, label: name + LABEL[kind] }))
  const actions = choices.actions
    .map((value) => ({ value, label: capital(actionDescription(value)) }))
    .sort((a, b) => a.label.localeCompare(b.label))
  const shared = { clearable: true, searchable: true, checkIconPosition: 'right' as const, nothingFoundMessage: 'No results' }
  const chosen = Object.values(filter).some(Boolean)
  return (
    <div className={classes.filters}>
      <Select
        {...shared}
        className={classes.who}
        aria-label="Actor"
        placeholder="All actors"
        data={people}
        value={filter.actor ?? null}
        onChange={(actor) => onChange({ ...filter, actor: actor ?? undefined })}
        clearButtonProps={{ 'aria-label': 'Clear actor' }}
      />
      <Select
        {...shared}
        className={classes.who}
        aria-label="Action"
        placeholder="All actions"
        data={actions}
        value={filter.action ?? null}
        onChange={(action) => onChange({ ...filter, action: action ?? undefined })}
        clearButtonProps={{ 'aria-label': 'Clear action' }}
      />
      <RangePicker
        label="Days"
        any="Any time"
        presets={DAY_RANGES}
        value={{ range: filter.range, from: filter.from, to: filter.to }}
        onChange={({ range, from, to }) => onChange({ ...filter, range, from, to })}
      />
      {filter.subject && (
        <span>
          Changes to <IdChip id={filter.subject} />
        </span>
      )}
      {chosen && (
        <Button variant="subtle" color="gray" onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </div>
  )
}
