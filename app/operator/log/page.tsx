import type { Metadata } from 'next'
import { Hydrate, loadPages, trpc } from '../../_trpc/server'
import { OperatorLog } from './_parts/OperatorLog'

export const metadata: Metadata = { title: 'Log' }

export default async function LogPage() {
  await loadPages(
    trpc.operator.operatorLog.infiniteQueryOptions(
      {},
      { initialCursor: undefined, getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  )
  return (
    <Hydrate>
      <OperatorLog />
    </Hydrate>
  )
}
