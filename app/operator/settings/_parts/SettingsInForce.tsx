'use client'

import { SegmentedControl, TextInput } from '@mantine/core'
import { IconAdjustments, IconSearch } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SettingInForce } from '#server/modules/backoffice/operator/settings-in-force'
import { useTRPC } from '../../../_trpc/client'
import { useEntered } from '../../../_ui/form/entered'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { StatusBadge } from '../../../_ui/StatusBadge'
import { type Column, Table } from '../../../_ui/Table'
import classes from './SettingsInForce.module.css'

const COLUMNS: Column<SettingInForce>[] = [
  {
    title: 'Setting',
    phone: 'wide',
    width: '52%',
    cell: ({ name, description }) => (
      <div className={classes.setting}>
        <span className={classes.name}>{name}</span>
        <span className={classes.about}>{description}</span>
      </div>
    ),
  },
  {
    title: 'Value',
    phone: 'wide',
    cell: ({ value, isSecret, isSet }) =>
      isSecret ? (
        <StatusBadge tone={isSet ? 'good' : 'neutral'}>{isSet ? 'Set' : 'Unset'}</StatusBadge>
      ) : (
        <span className={value === null ? classes.about : classes.value}>{value ?? 'Unset'}</span>
      ),
  },
  { title: 'Source', width: 120, cell: ({ source }) => (source === 'environment' ? 'Environment' : 'Default') },
]

/** Lists every setting with its value and source; of a secret only whether it is set. */
export function SettingsInForce() {
  const trpc = useTRPC()
  const { data: settings } = useSuspenseQuery(trpc.operator.settings.queryOptions())
  const [search, setSearch] = useState('')
  const field = useEntered(setSearch)
  const [shown, setShown] = useState<'given' | 'all'>('all')
  const wanted = search.trim().toLowerCase()
  const rows = settings.filter(
    ({ name, description, source }) =>
      (shown === 'all' || source === 'environment') && `${name} ${description}`.toLowerCase().includes(wanted),
  )
  return (
    <>
      <PageHeader
        title="Settings"
        purpose="The settings of this server process. To change one, edit the environment and restart the processes."
      />
      <div className={classes.bar}>
        <SegmentedControl
          aria-label="Settings to show"
          data={[
            { value: 'all', label: 'All' },
            { value: 'given', label: 'From the environment' },
          ]}
          value={shown}
          onChange={(value) => setShown(value as 'given' | 'all')}
        />
        <TextInput
          className={classes.search}
          ref={field}
          aria-label="Search settings"
          placeholder="Search settings"
          leftSection={<IconSearch size={15} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      </div>
      {rows.length > 0 ? (
        <Table label="Settings" columns={COLUMNS} rows={rows} keyOf={({ name }) => name} />
      ) : (
        <EmptyState framed icon={<IconAdjustments size={20} />} title="No settings found">
          Try another word or show all settings.
        </EmptyState>
      )}
    </>
  )
}
