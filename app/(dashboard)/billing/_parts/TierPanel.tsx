'use client'

import { Button, Group, Radio, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { Panel } from '../../../_ui/Panel'

type Tier = 'FREE' | 'PAID'

/** Which tier the account is on; a change holds for the next token. */
export function TierPanel({ tier, mayChange }: { tier: Tier; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [chosen, setChosen] = useState(tier)
  const save = useMutation(
    trpc.billing.setTier.mutationOptions({
      onSuccess: async () => {
        await client.invalidateQueries(trpc.billing.overview.pathFilter())
        notifications.show({ message: 'Saved. It holds from the next token on.', withBorder: true })
      },
    }),
  )
  return (
    <Panel title="Tier">
      <Stack gap="md">
        {!mayChange && <Notice tone="info">Only an owner of the account can change billing.</Notice>}
        <Radio.Group aria-label="Tier" value={chosen} onChange={(value) => setChosen(value as Tier)}>
          <Stack gap="sm">
            <Radio value="FREE" label="Free" description="1,000 playback tokens a key and day. Nothing is charged." disabled={!mayChange} />
            <Radio
              value="PAID"
              label="Paid"
              description="Every token of a live key costs 0.0005 credit, and the daily quota is much higher. Without credit, keys have the free quota."
              disabled={!mayChange}
            />
          </Stack>
        </Radio.Group>
        {save.error && <Notice tone="bad">{save.error.message}</Notice>}
        {mayChange && (
          <Group justify="flex-end">
            <Button variant="default" disabled={chosen === tier} loading={save.isPending} onClick={() => save.mutate({ tier: chosen })}>
              Change tier
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  )
}
