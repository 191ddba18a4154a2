import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { AccountFrame } from './_parts/AccountFrame'

interface Props {
  params: Promise<{ accountId: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name } = await load(trpc.support.account.queryOptions(await params))
  return { title: name }
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
