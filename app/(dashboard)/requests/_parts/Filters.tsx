'use client'

import { CloseButton, Select, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ERROR_HELP } from '#server/error-help'
import type { RequestFilter } from '#server/modules/analytics/schema'
import type { EndpointName } from '../../../_endpoints'
import { useTRPC } from '../../../_trpc/client'
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

const TIMES = [
  { value: '7d', label: 'Last 7 days' },
  { value: '15', label: 'Last 15 minutes' },
  { value: '60', label: 'Last hour' },
  { value: '1440', label: 'Last 24 hours' },
  { value: 'own', label: 'Custom range…' },
]

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
  const [time, setTime] = useState(filter.from || filter.to ? 'own' : '7d')
  const set = (part: RequestFilter) => onChange({ ...filter, ...part })
  const chooseTime = (value: string) => {
    setTime(value)
    const minutes = Number(value)
    if (value === '7d') set({ from: undefined, to: undefined })
    else if (minutes) set({ from: new Date(Date.now() - minutes * 60_000).toISOString(), to: undefined })
  }
  return (
    <div className={classes.bar}>
      <TextInput
        className={classes.search}
        aria-label="Search requests"
        placeholder="Request ID, token ID, path, IP address…"
        leftSection={<IconSearch size={15} />}
        rightSection={
          filter.search ? <CloseButton size="sm" aria-label="Clear search" onClick={() => set({ search: undefined })} /> : undefined
        }
        maxLength={80}
        value={filter.search ?? ''}
        onChange={(event) => set({ search: event.currentTarget.value || undefined })}
      />
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
        data={OUTCOMES}
        comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
        value={filter.outcome ?? null}
        onChange={(value) => set({ outcome: value ?? undefined })}
      />
      <Select aria-label="Time" data={TIMES} value={time} allowDeselect={false} onChange={(value) => chooseTime(value ?? '7d')} />
      {time === 'own' && (
        <div className={classes.between}>
          <TextInput
            type="datetime-local"
            aria-label="From (UTC)"
            value={filter.from?.slice(0, 16) ?? ''}
            onChange={(event) => set({ from: instant(event.currentTarget.value) })}
          />
          <span aria-hidden="true">to</span>
          <TextInput
            type="datetime-local"
            aria-label="To (UTC)"
            value={filter.to?.slice(0, 16) ?? ''}
            onChange={(event) => set({ to: instant(event.currentTarget.value) })}
          />
          <span>UTC</span>
        </div>
      )}
    </div>
  )
}

const instant = (text: string) => (text ? `${text}:00Z` : undefined)
