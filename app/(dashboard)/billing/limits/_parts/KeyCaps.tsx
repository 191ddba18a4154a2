'use client'

import { Button } from '@mantine/core'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { formatCredits } from '#server/modules/billing/price-schema'
import { Panel } from '../../../../_ui/Panel'
import { type Column, Table } from '../../../../_ui/Table'
import type { CappedKey } from '../../../_parts/amounts'
import classes from '../../_parts/Billing.module.css'
import { KeyLink } from '../../_parts/KeyLink'

const KeyCapDialog = dynamic(() => import('../../../_parts/keys/KeyCapDialog').then((module) => module.KeyCapDialog), { ssr: false })

/** Lists the monthly spending cap of each live key. */
export function KeyCaps({ keys, mayChange }: { keys: CappedKey[]; mayChange: boolean }) {
  const [asked, setAsked] = useState<CappedKey>()
  if (keys.length === 0) return null
  const columns: Column<CappedKey>[] = [
    { title: 'Key', phone: 'wide', cell: (key) => <NamedKey subject={key} /> },
    { title: 'Spent this month', number: true, cell: ({ monthSpent }) => formatCredits(monthSpent) },
    { title: 'Cap', number: true, cell: ({ monthCap }) => (monthCap === null ? 'None' : formatCredits(monthCap)) },
  ]
  if (mayChange)
    columns.push({
      title: 'Change',
      phone: 'corner',
      width: 110,
      cell: (key) => (
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => setAsked(key)}
          aria-label={`${key.monthCap === null ? 'Set cap' : 'Change cap'} for ${key.name}`}
        >
          {key.monthCap === null ? 'Set cap' : 'Change'}
        </Button>
      ),
    })
  return (
    <Panel title="Spending caps by key" flush>
      <div className={classes.inside}>
        <Table label="Spending caps by key" columns={columns} rows={keys} keyOf={({ id }) => id} />
      </div>
      {asked && <KeyCapDialog subject={asked} onClose={() => setAsked(undefined)} />}
    </Panel>
  )
}

function NamedKey({ subject: { id, name, prefix } }: { subject: CappedKey }) {
  return (
    <span className={classes.key}>
      <KeyLink id={id} name={name} />
      <code>{prefix}…</code>
    </span>
  )
}
