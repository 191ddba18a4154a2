'use client'

import { Anchor, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Team } from '#server/modules/identity/members/members'
import { useTRPC } from '../../../../_trpc/client'
import { Notice } from '../../../../_ui/Notice'
import { ConfirmDialog } from '../../../_parts/ConfirmDialog'

/** Sets whether every member must have a second factor; owners who have one may change it. */
export function RequireTotp({ team: { members, mayChange, requiresSecondFactor } }: { team: Team }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const change = useMutation(
    trpc.team.requireSecondFactor.mutationOptions({
      onSuccess: () => setAsking(false),
      onSettled: () => client.invalidateQueries(trpc.team.pathFilter()),
    }),
  )
  if (!mayChange)
    return (
      <Text size="sm">
        {requiresSecondFactor ? 'All members must use two-factor sign-in.' : 'Two-factor sign-in is optional for members.'}
      </Text>
    )

  const own = members.find(({ you }) => you)?.secondFactor === true
  const without = members.filter(({ secondFactor, you }) => !secondFactor && !you).length
  const toggle = (required: boolean) => (required && without > 0 ? setAsking(true) : change.mutate({ required }))
  return (
    <Stack gap="sm">
      {change.isError && <Notice tone="bad">{change.error.message}</Notice>}
      <Switch
        label="Require two-factor sign-in"
        description="Members without two-factor sign-in must set it up before they can continue. Single sign-on is exempt: the provider handles the second factor."
        checked={requiresSecondFactor}
        disabled={!own && !requiresSecondFactor}
        onChange={(event) => toggle(event.currentTarget.checked)}
      />
      {!own && !requiresSecondFactor && (
        <Text size="sm">
          First set up two-factor sign-in for yourself under{' '}
          <Anchor href="/settings/security" underline="always">
            Settings → Security
          </Anchor>
          .
        </Text>
      )}
      <ConfirmDialog
        title="Require two-factor sign-in?"
        action="Require"
        color="indigo"
        opened={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => change.mutate({ required: true })}
        busy={change.isPending}
      >
        <Text>
          {without === 1 ? 'One member has' : `${without} members have`} not set it up. They keep their role, but cannot access this account
          until they set it up. API keys continue to work.
        </Text>
      </ConfirmDialog>
    </Stack>
  )
}
