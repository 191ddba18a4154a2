import type { Metadata } from 'next'
import { auditFilter } from '#server/modules/audit/schema'
import { requireSession } from '../../../_auth'
import { Hydrate, load, loadPages, trpc } from '../../../_trpc/server'
import { AuditLog } from './_parts/AuditLog'

export const metadata: Metadata = { title: 'Audit log' }

export default async function AuditLogPage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
  await requireSession('/team/audit-log')
  // An invalid filter in the address shows everything instead of nothing.
  const filter = auditFilter.safeParse(await searchParams).data ?? {}
  await Promise.all([
    loadPages(trpc.audit.list.infiniteQueryOptions(filter, { initialCursor: undefined, getNextPageParam: () => undefined })),
    load(trpc.audit.choices.queryOptions()),
  ])
  return (
    <Hydrate>
      <AuditLog initial={filter} />
    </Hydrate>
  )
}
