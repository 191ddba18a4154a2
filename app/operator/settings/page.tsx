import type { Metadata } from 'next'
import { load, pageOf, trpc } from '../../_trpc/server'
import { SettingsInForce } from './_parts/SettingsInForce'

export const metadata: Metadata = { title: 'Settings' }

export default pageOf(() => load(trpc.operator.settings.queryOptions()), SettingsInForce)
