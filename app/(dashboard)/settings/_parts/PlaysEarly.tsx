'use client'

import { Stack, Switch } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'

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
    <Stack gap="md">
      {!mayChange && <Notice tone="info">Only an owner can change this.</Notice>}
      {change.isError && <Notice tone="bad">{change.error.message}</Notice>}
      <Switch
        label="Allow playback during processing"
        description="Tokens are issued as soon as the beginning of a video is ready; the player shows how far it can be watched. Otherwise they are issued once all renditions are ready."
        checked={playsEarly}
        disabled={!mayChange || change.isPending}
        onChange={(event) => change.mutate({ playsEarly: event.currentTarget.checked, expected: playsEarly })}
      />
    </Stack>
  )
}
