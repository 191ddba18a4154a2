import type { Metadata } from 'next'
import { requireSession } from '../../_auth'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { Settings } from './_parts/Settings'

export const metadata: Metadata = { title: 'Settings' }

export default async function SettingsPage() {
  await requireSession('/settings')
  await Promise.all([load(trpc.account.settings.queryOptions()), load(trpc.account.me.queryOptions())])
  return (
    <Hydrate>
      <Settings />
    </Hydrate>
  )
}
