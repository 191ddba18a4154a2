'use client'

import { useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { PageHeader } from '../../../_ui/PageHeader'
import { Panel } from '../../../_ui/Panel'
import { EmbedDomains } from './EmbedDomains'

/** What an account chooses for itself. */
export function Settings() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.account.settings.queryOptions())
  return (
    <>
      <PageHeader title="Settings" purpose="What holds for every video of the account." />
      <div style={{ maxWidth: 680 }}>
        <Panel title="Where the player may be shown">
          <EmbedDomains domains={data.embedDomains} mayChange={data.mayChange} />
        </Panel>
      </div>
    </>
  )
}
