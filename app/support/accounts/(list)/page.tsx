import type { Metadata } from 'next'
import { accountActivityInput } from '#server/modules/backoffice/support/schema'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { Accounts } from './_parts/Accounts'

export const metadata: Metadata = { title: 'Accounts' }

export default async function AccountsPage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
  const { days, sort, page } = await searchParams
  const asked = accountActivityInput.safeParse({ days: days && Number(days), sort, page: page && Number(page) })
  const initial = asked.data ?? accountActivityInput.parse({})
  await load(trpc.support.accounts.queryOptions(initial))
  return (
    <Hydrate>
      <Accounts initial={initial} />
    </Hydrate>
  )
}
