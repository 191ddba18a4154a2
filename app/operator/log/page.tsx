import type { Metadata } from 'next'
import { loadPages, pageOf, trpc } from '../../_trpc/server'
import { OperatorLog } from './_parts/OperatorLog'

export const metadata: Metadata = { title: 'Log' }

export default pageOf(
  () => loadPages(trpc.operator.operatorLog.infiniteQueryOptions({}, { initialCursor: undefined, getNextPageParam: () => undefined })),
  OperatorLog,
)
