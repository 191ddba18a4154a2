'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { SettingSwitch } from './SettingSwitch'

/** Sets whether videos can be watched while they are transcoded. */
export function PlaysEarly({ playsEarly, mayChange }: { playsEarly: boolean; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const change = useMutation(
    trpc.account.setPlaysEarly.mutationOptions({
      onSettled: () => client.invalidateQueries(trpc.account.settings.pathFilter()),
    }),
  )
  return (
    <SettingSwitch
      label="Allow playback during processing"
      description="Tokens are issued as soon as the beginning of a video is ready; the player shows how far it can be watched. Otherwise they are issued once all renditions are ready."
      checked={playsEarly}
      mayChange={mayChange}
      change={change}
      onChange={(checked) => change.mutate({ playsEarly: checked, expected: playsEarly })}
    />
  )
}
