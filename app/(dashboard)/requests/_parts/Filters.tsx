'use client'

import { CloseButton, Select, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { ERROR_HELP } from '#server/error-help'
import { LOG_DAYS, LOG_RANGES, type LogRange } from '#server/modules/analytics/limits'
import type { RequestFilter } from '#server/modules/analytics/schema'
import type { EndpointName } from '../../../_endpoints'
import { useTRPC } from '../../../_trpc/client'
import { RangePicker } from '../../../_ui/range/RangePicker'
import { searchHint } from '../../../_ui/SearchHint'
import { ExactField } from './ExactField'
import classes from './Requests.module.css'

const OUTCOMES = [
  {
    group: 'Status class',
    items: [
      { value: 'failed', label: 'Any error' },
      { value: '2xx', label: '2xx Success' },
      { value: '3xx', label: '3xx Not modified' },
      { value: '4xx', label: '4xx Client error' },
      { value: '5xx', label: '5xx Server error' },
    ],
  },
  { group: 'Error code', items: Object.keys(ERROR_HELP).map((code) => ({ value: code, label: code })) },
]

const RANGES = Object.keys(LOG_RANGES) as LogRange[]

interface Props {
  filter: RequestFilter
  onChange: (filter: RequestFilter) => void
  endpoints: EndpointName[]
}

/** Renders the filters of the log. */
export function Filters({ filter, onChange, endpoints }: Props) {
  const trpc = useTRPC()
  const { data: keys = [] } = useQuery(trpc.key.list.queryOptions())
  // A link may name a key that was replaced by rotation since.
  const shownKey = keys.find(({ id, rotations }) => id === filter.keyId || rotations.some((one) => one.id === filter.keyId))
  const set = (part: RequestFilter) => onChange({ ...filter, ...part })
  // Charts and counts link to one status, which is in no group of the list.
  const one = /^\d{3}$/.test(filter.outcome ?? '')
    ? [{ group: 'Status', items: [{ value: filter.outcome ?? '', label: filter.outcome ?? '' }] }]
    : []
  return (
    <div className={classes.bar}>
      <div className={classes.search}>
        <TextInput
          aria-label="Search requests"
          inputWrapperOrder={['label', 'input', 'description']}
          description={searchHint(filter.search)}
          placeholder="Search by ID, path or IP address"
          leftSection={<IconSearch size={15} />}
          rightSection={
            filter.search ? <CloseButton size="sm" aria-label="Clear search" onClick={() => set({ search: undefined })} /> : undefined
          }
          maxLength={80}
          value={filter.search ?? ''}
          onChange={(event) => set({ search: event.currentTarget.value || undefined })}
        />
      </div>
      <div className={classes.time}>
        <RangePicker
          label="Time"
          any={`Last ${LOG_DAYS} days`}
          timed
          earliest={new Date(Date.now() - LOG_DAYS * DAY_MS).toISOString().slice(0, 10)}
          presets={RANGES}
          value={{ range: filter.range, from: filter.from, to: filter.to }}
          onChange={({ range, from, to }) => set({ range, from, to })}
        />
      </div>
      <Select
        aria-label="Key"
        placeholder="Any key"
        clearable
        searchable={keys.length > 8}
        data={keys.map(({ id, name, prefix }) => ({ value: id, label: `${name} (${prefix}…)` }))}
        value={shownKey?.id ?? filter.keyId ?? null}
        onChange={(value) => set({ keyId: value ?? undefined })}
      />
      <Select
        aria-label="Endpoint"
        placeholder="Any endpoint"
        clearable
        data={endpoints.map(({ operation, method, path }) => ({ value: operation, label: `${method} ${path}` }))}
        comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
        value={filter.operation ?? null}
        onChange={(value) => set({ operation: value ?? undefined })}
      />
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        data={[...one, ...OUTCOMES]}
        comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
        value={filter.outcome ?? null}
        onChange={(value) => set({ outcome: value ?? undefined })}
      />
      <ExactField
        name="videoId"
        label="Video ID"
        placeholder="Any video"
        problem="Enter the ID of a video."
        value={filter.videoId}
        onChange={(videoId) => set({ videoId })}
      />
      <ExactField
        name="address"
        label="IP address or network"
        placeholder="Any IP address"
        problem="Enter an IP address, or a network such as 203.0.113.0/24."
        value={filter.address}
        onChange={(address) => set({ address })}
      />
    </div>
  )
}

const DAY_MS = 86_400_000
