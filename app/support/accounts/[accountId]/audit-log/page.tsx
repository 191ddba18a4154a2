import { auditFilter } from '#server/modules/audit/schema'
import { Hydrate, load, loadPages, trpc } from '../../../../_trpc/server'
import { SupportAudit } from './_parts/SupportAudit'

interface Props {
  params: Promise<{ accountId: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export default async function SupportAuditPage({ params, searchParams }: Props) {
  const { accountId } = await params
  // An invalid filter in the address shows everything instead of nothing.
  const filter = auditFilter.safeParse(await searchParams).data ?? {}
  await Promise.all([
    loadPages(
      trpc.support.audit.infiniteQueryOptions(
        { ...filter, accountId },
        { initialCursor: undefined, getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
      ),
    ),
    load(trpc.support.auditChoices.queryOptions({ accountId })),
  ])
  return (
    <Hydrate>
      <SupportAudit accountId={accountId} initial={filter} />
    </Hydrate>
  )
}
