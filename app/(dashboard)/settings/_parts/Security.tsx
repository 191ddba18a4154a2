'use client'

import { Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { Panel } from '../../../_ui/Panel'
import { Password } from './Password'
import { Providers } from './Providers'
import { Sessions } from './Sessions'
import { SettingsTabs } from './SettingsTabs'
import { TwoFactor } from './TwoFactor'

/** Shows the user's sign-in methods and sessions. `came`: the result of connecting a provider. */
export function Security({ came }: { came: 'connected' | 'taken' | undefined }) {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.user.security.queryOptions())
  return (
    <>
      <SettingsTabs here="/settings/security" />
      <Stack gap="lg" maw={680}>
        {came === 'connected' && <Notice tone="info">Connected. You can now sign in with this provider.</Notice>}
        {came === 'taken' && <Notice tone="bad">This identity is already connected to another user. Disconnect it there first.</Notice>}
        <Panel title="Password">
          <Password email={data.email} hasPassword={data.hasPassword} />
        </Panel>
        <Panel title="Two-factor sign-in">
          <TwoFactor totp={data.totp} hasPassword={data.hasPassword} />
        </Panel>
        {data.providers.length > 0 && (
          <Panel title="Sign-in providers" flush>
            <Providers providers={data.providers} hasPassword={data.hasPassword} />
          </Panel>
        )}
        <Sessions />
      </Stack>
    </>
  )
}
