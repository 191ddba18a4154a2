'use client'

import { Anchor } from '@mantine/core'
import { IconFileInvoice } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import { formatCredits } from '#server/modules/billing/price-schema'
import { useTRPC } from '../../../../../_trpc/client'
import { formatCount } from '../../../../../_ui/format'
import { Link } from '../../../../../_ui/Link'
import { Panel } from '../../../../../_ui/Panel'
import { EmptyState } from '../../../../../_ui/page/EmptyState'
import { Table } from '../../../../../_ui/Table'
import { formatMonth } from '../../../../_parts/amounts'
import classes from '../../../_parts/Billing.module.css'
import { BillingFrame } from '../../../_parts/BillingFrame'

/** Shows the statements of the account. */
export function Statements({ mayChange }: { mayChange: boolean }) {
  return (
    <BillingFrame here="/billing/statements" mayChange={mayChange}>
      {() => <Months />}
    </BillingFrame>
  )
}

/** Lists a statement per month, to view and to print. */
function Months() {
  const trpc = useTRPC()
  const { data: months } = useSuspenseQuery(trpc.billing.months.queryOptions())
  if (months.length === 0)
    return (
      <Panel>
        <EmptyState icon={<IconFileInvoice size={20} />} title="No statements yet">
          A month’s statement appears here with its first top-up, credit or charge.
        </EmptyState>
      </Panel>
    )
  return (
    <Panel title="Statements" flush>
      <div className={classes.inside}>
        <Table
          label="Statements"
          columns={[
            {
              title: 'Month',
              phone: 'title',
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
