import { Button, Pill } from '@mantine/core'
import type { ListQuery } from '#server/modules/videos/list/list-schema'
import { rangeText } from '../../../../_ui/range/range-text'
import classes from './ActiveFilters.module.css'

/** Shows each filter of the popover as a pill that removes it; nothing when there is none. */
export function ActiveFilters({ query, onChange }: { query: ListQuery; onChange: (changes: Partial<ListQuery>) => void }) {
  const { externalId, transcript, metadata = {}, range, from, to } = query
  const without = (name: string) => ({ metadata: Object.fromEntries(Object.entries(metadata).filter(([one]) => one !== name)) })
  const filters: { text: string; removal: Partial<ListQuery> }[] = [
    ...Object.entries(metadata).map(([name, value]) => ({ text: `${name}: ${value}`, removal: without(name) })),
    ...(externalId ? [{ text: `External ID: ${externalId}`, removal: { externalId: undefined } }] : []),
    ...(transcript ? [{ text: `Spoken words: ${transcript}`, removal: { transcript: undefined } }] : []),
    ...(range || from || to
      ? [{ text: `Created: ${rangeText({ range, from, to }, '')}`, removal: { range: undefined, from: undefined, to: undefined } }]
      : []),
  ]
  if (filters.length === 0) return null
  return (
    <div className={classes.pills}>
      {filters.map(({ text, removal }) => (
        <Pill
          key={text}
          withRemoveButton
          onRemove={() => onChange(removal)}
          removeButtonProps={{ 'aria-label': `Remove ${text}`, tabIndex: 0, 'aria-hidden': false }}
        >
          {text}
        </Pill>
      ))}
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        onClick={() =>
          onChange({ externalId: undefined, transcript: undefined, metadata: undefined, range: undefined, from: undefined, to: undefined })
        }
      >
        Clear
      </Button>
    </div>
  )
}
