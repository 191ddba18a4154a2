import type { Metadata } from 'next'
import { requireSession } from '../../../../_auth'
import { Hydrate, load, trpc } from '../../../../_trpc/server'
import { formatMonth } from '../../../_parts/amounts'
import { Statement } from './_parts/Statement'

interface Props {
  params: Promise<{ month: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { month } = await params
  await requireSession(`/billing/statements/${month}`)
  await load(trpc.billing.statement.queryOptions({ month }))
  return { title: `Statement for ${formatMonth(month)}` }
}

export default async function StatementPage({ params }: Props) {
  const { month } = await params
  await requireSession(`/billing/statements/${month}`)
  await load(trpc.billing.statement.queryOptions({ month }))
  return (
    <Hydrate>
      <Statement month={month} />
    </Hydrate>
  )
}
