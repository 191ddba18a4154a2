'use client'

import { Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { PageHeader } from '../../../_ui/PageHeader'
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
      <PageHeader title="Settings" purpose="What holds for every video of the account, and how you sign in." />
      <SettingsTabs here="/settings/security" />
      <Stack gap="lg" maw={680}>
        {came === 'connected' && <Notice tone="info">Connected. You can sign in with it from now on.</Notice>}
        {came === 'taken' && <Notice tone="bad">Another user here has connected this identity already. Disconnect it there first.</Notice>}
        <Panel title="Password">
          <Password email={data.email} hasPassword={data.hasPassword} />
        </Panel>
        <Panel title="Two-factor sign-in">
          <TwoFactor totp={data.totp} hasPassword={data.hasPassword} />
        </Panel>
        {data.providers.length > 0 && (
          <Panel title="Other ways to sign in" flush>
            <Providers providers={data.providers} hasPassword={data.hasPassword} />
          </Panel>
        )}
        <Sessions />
      </Stack>
    </>
  )
}
