'use client'

import { Button, Group, Radio, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useTRPC } from '../../../../_trpc/client'
import { Conflict } from '../../../../_ui/form/Conflict'
import { conflictOf } from '../../../../_ui/form/conflict-of'
import { Notice } from '../../../../_ui/Notice'
import { Panel } from '../../../../_ui/Panel'

type Tier = 'FREE' | 'PAID'
const TITLES: Record<Tier, string> = { FREE: 'Free', PAID: 'Paid' }

/** Shows the account's tier; a change applies from the next token. */
export function TierPanel({ tier, mayChange }: { tier: Tier; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const router = useRouter()
  // Before a choice the current tier is shown; the draft then keeps the version it started from.
  const [draft, setDraft] = useState<{ chosen: Tier; expected: Tier }>()
  const { chosen, expected } = draft ?? { chosen: tier, expected: tier }
  const save = useMutation(
    trpc.billing.setTier.mutationOptions({
      onSuccess: async () => {
        await client.invalidateQueries(trpc.billing.overview.pathFilter())
        // The account's menu, rendered by the server, shows the tier too.
        router.refresh()
        setDraft(undefined)
        notifications.show({ message: 'Tier changed.', withBorder: true })
      },
    }),
  )
  const theirs = conflictOf<{ tier: Tier }>(save.error)?.tier
  return (
    <Panel title="Tier">
      <Stack gap="md">
        {!mayChange && <Notice tone="info">Only an owner can change billing.</Notice>}
        <Radio.Group label="Tier of this account" value={chosen} onChange={(value) => setDraft({ chosen: value as Tier, expected })}>
          <Stack gap="sm" mt={6}>
            <Radio value="FREE" label="Free" description="1,000 playback tokens per key and day. No charges." disabled={!mayChange} />
            <Radio
              value="PAID"
              label="Paid"
              description="Each token of a live key costs 0.0005 credits. Higher daily quotas. When the balance is empty, keys have the free quota."
              disabled={!mayChange}
            />
          </Stack>
        </Radio.Group>
        {theirs && (
          <Conflict
            fields={[{ title: 'Tier', mine: TITLES[chosen], theirs: TITLES[theirs] }]}
            busy={save.isPending}
            onTakeTheirs={() => {
              save.reset()
              setDraft({ chosen: theirs, expected: theirs })
            }}
            onKeepMine={() => save.mutate({ tier: chosen, expected: theirs })}
          />
        )}
        {save.error && !theirs && <Notice tone="bad">{save.error.message}</Notice>}
        {mayChange && (
          <Group>
            <Button
              variant="default"
              disabled={chosen === expected}
              loading={save.isPending}
              onClick={() => save.mutate({ tier: chosen, expected })}
            >
              Change tier
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  )
}
