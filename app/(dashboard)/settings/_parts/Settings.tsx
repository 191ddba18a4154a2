'use client'

import { Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { Panel } from '../../../_ui/Panel'
import { AccountName } from './AccountName'
import { AutoCaptions } from './AutoCaptions'
import { DeleteAccount } from './DeleteAccount'
import { Downloads } from './Downloads'
import { EmbedDomains } from './EmbedDomains'
import { PictureQualitySetting } from './PictureQualitySetting'
import { PlaysEarly } from './PlaysEarly'
import { SettingsTabs } from './SettingsTabs'
import { ViewerSettings } from './ViewerSettings'

/** Shows the account's settings. */
export function Settings() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.account.settings.queryOptions())
  const { data: me } = useSuspenseQuery(trpc.account.me.queryOptions())
  return (
    <>
      <SettingsTabs here="/settings" />
      <Stack gap="lg" maw={680}>
        <Panel title="Name">
          <AccountName name={me.account.name} mayChange={data.mayChange} />
        </Panel>
        <Panel title="Allowed sites">
          <EmbedDomains domains={data.embedDomains} mayChange={data.mayChange} />
        </Panel>
        <Panel title="Early playback">
          <PlaysEarly playsEarly={data.playsEarly} mayChange={data.mayChange} />
        </Panel>
        <Panel title="Picture quality">
          <PictureQualitySetting pictureQuality={data.pictureQuality} mayChange={data.mayChange} />
        </Panel>
        <Panel title="Captions">
          <AutoCaptions
            autoCaptions={data.autoCaptions}
            speechOff={data.speechOff}
            minutes={data.transcribedMinutes}
            mayChange={data.mayChange}
          />
        </Panel>
        <Panel title="Downloads">
          <Downloads downloads={data.downloads} mayChange={data.mayChange} />
        </Panel>
        <Panel title="Viewers">
          <ViewerSettings
            settings={{ viewerRetentionDays: data.viewerRetentionDays, completedPercent: data.completedPercent }}
            mayChange={data.mayChange}
          />
        </Panel>
        {data.mayChange && (
          <Panel title="Delete account">
            <DeleteAccount name={me.account.name} />
          </Panel>
        )}
      </Stack>
    </>
  )
}
