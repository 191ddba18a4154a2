'use client'

import { Anchor } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { formatCount } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { Panel } from '../../../_ui/Panel'
import { Table } from '../../../_ui/Table'
import { formatCredits, formatMonth } from '../../_parts/amounts'
import classes from './Billing.module.css'

/** Lists a statement per month, to view and to print. */
export function Statements() {
  const trpc = useTRPC()
  const { data: months } = useSuspenseQuery(trpc.billing.months.queryOptions())
  if (months.length === 0) return null
  return (
    <Panel title="Statements" flush>
      <div className={classes.inside}>
        <Table
          label="Statements"
          columns={[
            {
              title: 'Month',
              phone: 'wide',
              cell: ({ month }) => (
                <Anchor component={Link} href={`/billing/statements/${month}`} fw={550}>
                  {formatMonth(month)}
                </Anchor>
              ),
            },
            { title: 'Tokens', number: true, cell: ({ tokens }) => formatCount(tokens) },
            { title: 'Spent', number: true, cell: ({ used }) => formatCredits(used) },
            { title: 'Added', number: true, cell: ({ added }) => formatCredits(added) },
          ]}
          rows={months}
          keyOf={({ month }) => month}
        />
      </div>
    </Panel>
  )
}
