import type { Metadata } from 'next'
import { rangeFrom } from '#server/modules/analytics/schema'
import { env } from '#server/platform/config/config'
import { requireSession } from '../../../_auth'
import { ENDPOINTS } from '../../../_endpoints'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { KeyDetail } from './_parts/KeyDetail'

interface Props {
  params: Promise<{ keyId: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

export async function generateMetadata({ params }: Pick<Props, 'params'>): Promise<Metadata> {
  const { keyId } = await params
  await requireSession(`/api-keys/${keyId}`)
  const { name } = await load(trpc.key.get.queryOptions({ keyId }))
  return { title: name }
}

export default async function KeyPage({ params, searchParams }: Props) {
  const { keyId } = await params
  const range = rangeFrom(await searchParams, '7d')
  await requireSession(`/api-keys/${keyId}`)
  await Promise.all([
    load(trpc.key.get.queryOptions({ keyId })),
    load(trpc.traffic.key.queryOptions({ keyId, ...range })),
    load(trpc.billing.quotaRequests.queryOptions({ keyId })),
    load(trpc.billing.overview.queryOptions()),
    load(trpc.receipt.keyStop.queryOptions({ keyId })),
  ])
  return (
    <Hydrate>
      <KeyDetail keyId={keyId} baseUrl={env().BASE_URL} endpoints={ENDPOINTS} initialRange={range} />
    </Hydrate>
  )
}
