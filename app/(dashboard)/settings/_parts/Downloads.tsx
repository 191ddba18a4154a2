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
      description="Developers, and API keys with video:write, can get URLs of the original file and of each quality as an MP4. Everyone who has such a URL can download the file, unencrypted, for one hour. When this is off, no such URL works."
      checked={downloads}
      mayChange={mayChange}
      change={change}
      onChange={(checked) => change.mutate({ downloads: checked, expected: downloads })}
    />
  )
}
