'use client'

import { Anchor, Button, Group, Modal, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Team } from '#server/modules/accounts/list-members'
import { useTRPC } from '../../../../_trpc/client'
import { Notice } from '../../../../_ui/Notice'

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
        {requiresSecondFactor ? 'Every member signs in with two factors here.' : 'Each member decides for themselves whether to use it.'}
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
        description="Members without it are led to set it up with their next click, and reach nothing else until they have. Sessions of single sign-on count: its provider asks for its own second factor."
        checked={requiresSecondFactor}
        disabled={!own && !requiresSecondFactor}
        onChange={(event) => toggle(event.currentTarget.checked)}
      />
      {!own && !requiresSecondFactor && (
        <Text size="sm">
          Set it up for yourself first, under{' '}
          <Anchor href="/settings/security" underline="always">
            Settings, Security
          </Anchor>
          .
        </Text>
      )}
      <Modal opened={asking} onClose={() => setAsking(false)} title="Require two-factor sign-in?">
        <Stack gap="md">
          <Text>
            {without === 1 ? 'One member has' : `${without} members have`} not set it up. They keep their role, and reach nothing of this
            account until they have. API keys go on working.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Cancel
            </Button>
            <Button loading={change.isPending} onClick={() => change.mutate({ required: true })}>
              Require it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Stack>
  )
}
