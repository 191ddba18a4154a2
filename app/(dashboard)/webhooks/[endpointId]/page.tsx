import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metadata } from 'next'
import { requireSession } from '../../../_auth'
import { Hydrate, load, loadPages, trpc } from '../../../_trpc/server'
import { EndpointDetail } from '../_parts/EndpointDetail'

export const metadata: Metadata = { title: 'Webhook endpoint' }

/** The receivers of the guide, which tests run. */
const RECEIVERS = [
  { language: 'Node', file: 'verify-webhook.mjs' },
  { language: 'Python', file: 'verify_webhook.py' },
  { language: 'PHP', file: 'verify-webhook.php' },
  { language: 'Go', file: 'verify-webhook.go' },
]

interface Props {
  params: Promise<{ endpointId: string }>
}

export default async function EndpointPage({ params }: Props) {
  const { endpointId } = await params
  await requireSession(`/webhooks/${endpointId}`)
  await Promise.all([
    load(trpc.webhook.get.queryOptions({ endpointId })),
    loadPages(
      trpc.webhook.deliveries.infiniteQueryOptions(
        { endpointId, status: undefined },
        { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
      ),
    ),
  ])
  const receivers = RECEIVERS.map(({ language, file }) => ({
    language,
    code: readFileSync(join(process.cwd(), 'docs/snippets', file), 'utf8').trimEnd(),
  }))
  return (
    <Hydrate>
      <EndpointDetail endpointId={endpointId} receivers={receivers} />
    </Hydrate>
  )
}
