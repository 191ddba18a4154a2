import type { Metadata } from 'next'
import { Hydrate, load, trpc } from '../../_trpc/server'
import { SettingsInForce } from './_parts/SettingsInForce'

export const metadata: Metadata = { title: 'Settings' }

export default async function SettingsInForcePage() {
  await load(trpc.operator.settings.queryOptions())
  return (
    <Hydrate>
      <SettingsInForce />
    </Hydrate>
  )
}
