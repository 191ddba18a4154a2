import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { AccountFrame } from './_parts/AccountFrame'

interface Props {
  params: Promise<{ accountId: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  // That there is no such account is the layout's to say: said from here, the page would have no title.
  const account = await load(trpc.support.account.queryOptions(await params)).catch(() => undefined)
  return { title: account?.name ?? 'Not found' }
}

export default async function AccountLayout({ params, children }: Props & { children: ReactNode }) {
  const { accountId } = await params
  await load(trpc.support.account.queryOptions({ accountId }))
  return (
    <Hydrate>
      <AccountFrame accountId={accountId}>{children}</AccountFrame>
    </Hydrate>
  )
}
