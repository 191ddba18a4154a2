import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { isServiceError } from '#server/errors'
import { Hydrate, load, trpc } from '../../../_trpc/server'
import { AccountFrame } from './_parts/AccountFrame'
import { OwnAccount } from './_parts/OwnAccount'

interface Props {
  params: Promise<{ accountId: string }>
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  // The layout reports a missing account: reported from here, the page would have no title.
  const account = await load(trpc.support.account.queryOptions(await params)).catch(() => undefined)
  return { title: account?.name ?? 'Page not found' }
}

export default async function AccountLayout({ params, children }: Props & { children: ReactNode }) {
  const { accountId } = await params
  const own = await load(trpc.support.account.queryOptions({ accountId })).then(() => false, isOwn)
  if (own) return <OwnAccount />
  return (
    <Hydrate>
      <AccountFrame accountId={accountId}>{children}</AccountFrame>
    </Hydrate>
  )
}

/** Returns whether access was refused because the staff member belongs to the account; rethrows other errors. */
function isOwn(error: unknown): boolean {
  const { cause } = error as Error
  if (
    isServiceError(cause) &&
    cause.code === 'FORBIDDEN' &&
    (cause.extras.details as { reason?: string } | undefined)?.reason === 'own-account'
  )
    return true
  throw error
}
