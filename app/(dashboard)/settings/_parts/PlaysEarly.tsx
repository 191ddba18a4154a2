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
      description="Viewers can start before processing finishes; the player shows how far they can watch. When this is off, they can start once all renditions are ready."
      checked={playsEarly}
      mayChange={mayChange}
      change={change}
      onChange={(checked) => change.mutate({ playsEarly: checked, expected: playsEarly })}
    />
  )
}
