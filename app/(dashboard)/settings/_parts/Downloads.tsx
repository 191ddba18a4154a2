'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { SettingSwitch } from './SettingSwitch'

/** Sets whether videos can be downloaded as files. */
export function Downloads({ downloads, mayChange }: { downloads: boolean; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const change = useMutation(
    trpc.account.setDownloads.mutationOptions({
      onSettled: () => client.invalidateQueries(trpc.account.settings.pathFilter()),
    }),
  )
  return (
    <SettingSwitch
      label="Allow downloads"
      description="Developers, and API keys with video:write, can get links to the original file and to each quality as an MP4. Anyone with a link can download the file, unencrypted, for one hour. When you turn this off, existing links stop working."
      checked={downloads}
      mayChange={mayChange}
      change={change}
      onChange={(checked) => change.mutate({ downloads: checked, expected: downloads })}
    />
  )
}
