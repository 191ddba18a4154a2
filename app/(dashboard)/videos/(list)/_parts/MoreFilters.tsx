'use client'

import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { randomId } from '@mantine/hooks'
import { IconPlus, IconX } from '@tabler/icons-react'
import { MAX_METADATA_FILTERS } from '#server/modules/videos/list/filter-schema'
import { type ListQuery, listSelection } from '#server/modules/videos/list/list-schema'
import { DAY_RANGES, type DayRangeName } from '#server/platform/text/day-ranges'
import { useForm } from '../../../../_ui/form/use-form'
import { RangePicker } from '../../../../_ui/range/RangePicker'
import type { RangeValue } from '../../../../_ui/range/range-text'
import classes from './MoreFilters.module.css'

interface Values {
  externalId: string
  transcript: string
  created: RangeValue<DayRangeName>
  pairs: { key: string; name: string; value: string }[]
}

const newPair = (name = '', value = '') => ({ key: randomId(), name, value })

/** Returns the filters that were entered; rows without a name and a value are none. */
const entered = ({ externalId, transcript, created, pairs }: Values): Partial<ListQuery> => {
  const named = pairs.flatMap(({ name, value }) => (name.trim() || value.trim() ? [[name.trim(), value.trim()] as const] : []))
  return {
    externalId: externalId.trim() || undefined,
    transcript: transcript.trim() || undefined,
    range: created.range,
    from: created.from,
    to: created.to,
    metadata: named.length > 0 ? Object.fromEntries(named) : undefined,
  }
}

const schema = listSelection.pick({ externalId: true, transcript: true, metadata: true })

/** Filters by external id, spoken words, metadata and days of creation. */
export function MoreFilters({ query, onApply }: { query: ListQuery; onApply: (changes: Partial<ListQuery>) => void }) {
  const { externalId = '', transcript = '', range, from, to, metadata = {} } = query
  const pairs = Object.entries(metadata).map(([name, value]) => newPair(name, value))
  const form = useForm<Values>({
    initialValues: { externalId, transcript, created: { range, from, to }, pairs: pairs.length > 0 ? pairs : [newPair()] },
    validate: async (values) => {
      const errors = await schemaResolver(schema)(entered(values) as Record<string, unknown>)
      // An error of the metadata is shown below its rows.
      const [problem] = Object.entries(errors).flatMap(([path, error]) => (path.startsWith('metadata') ? [error] : []))
      return { ...errors, ...(problem && { pairs: problem }) }
    },
  })
  return (
    <form onSubmit={form.onSubmit((values) => onApply(entered(values)))} noValidate>
      <Stack gap="md">
        <fieldset className={classes.group}>
          <legend>Metadata</legend>
          <Stack gap={6}>
            {form.values.pairs.map(({ key }, at) => (
              <div key={key} className={classes.pair}>
                <TextInput aria-label="Name" placeholder="course" {...form.getInputProps(`pairs.${at}.name`)} />
                <TextInput aria-label="Value" placeholder="physics-1" {...form.getInputProps(`pairs.${at}.value`)} />
                <ActionIcon variant="subtle" color="gray" aria-label="Remove this filter" onClick={() => form.removeListItem('pairs', at)}>
                  <IconX size={15} />
                </ActionIcon>
              </div>
            ))}
            {form.errors.pairs && (
              <p className={classes.error} role="alert">
                {form.errors.pairs}
              </p>
            )}
            {form.values.pairs.length < MAX_METADATA_FILTERS && (
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<IconPlus size={14} />}
                onClick={() => form.insertListItem('pairs', newPair())}
                style={{ justifySelf: 'start' }}
                w="fit-content"
              >
                Add metadata
              </Button>
            )}
          </Stack>
        </fieldset>
        <TextInput label="External ID" {...form.getInputProps('externalId')} />
        <TextInput label="Spoken words" placeholder="boiling point" {...form.getInputProps('transcript')} />
        <RangePicker
          label="Created"
          any="Any time"
          nested
          presets={DAY_RANGES}
          value={form.values.created}
          onChange={(created) => form.setFieldValue('created', created)}
        />
        <Group justify="space-between">
          <Button
            variant="subtle"
            color="gray"
            onClick={() =>
              onApply({
                externalId: undefined,
                transcript: undefined,
                range: undefined,
                from: undefined,
                to: undefined,
                metadata: undefined,
              })
            }
          >
            Clear
          </Button>
          <Button type="submit" loading={form.submitting}>
            Apply
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
