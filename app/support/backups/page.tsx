import type { Metadata } from 'next'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { Backups } from './_parts/Backups'

export const metadata: Metadata = { title: 'Backups' }

export default async function BackupsPage() {
  await load(trpc.support.backups.queryOptions())
  return (
    <Hydrate>
      <Backups />
    </Hydrate>
  )
}
