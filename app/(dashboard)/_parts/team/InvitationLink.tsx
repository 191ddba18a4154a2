'use client'

import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { Invited } from '#server/modules/accounts/invite'
import { INVITATION_DAYS } from '#server/modules/accounts/member-limits'
import { useCopy } from '../../../_ui/use-copy'

/** Shows the result of an invitation: its link, once; or that it is being mailed, since a mailed link proves the owner of the address. */
export function InvitationLink({ invited, email, onDone }: { invited: Invited; email: string; onDone: () => void }) {
  const [state, copy] = useCopy(invited.url ?? '')
  if (invited.url === null)
    return (
      <Stack gap="md">
        <Text>
          An invitation was sent to <b>{email}</b>. It works once, within {INVITATION_DAYS} days. Check delivery or resend it under
          Invitations.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onDone} data-autofocus>
            Done
          </Button>
        </Group>
      </Stack>
    )
  return (
    <Stack gap="md">
      <Text>
        Send this link to <b>{email}</b>. It works once, within {INVITATION_DAYS} days, and is not shown again.
      </Text>
      <TextInput
        label="Invitation link"
        readOnly
        value={invited.url}
        onFocus={(event) => event.currentTarget.select()}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        data-testid="invitation-link"
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
        <Button onClick={copy} data-autofocus leftSection={state === 'copied' ? <IconCheck size={15} /> : <IconCopy size={15} />}>
          {state === 'copied' ? 'Copied' : state === 'failed' ? 'Could not copy. Copy manually' : 'Copy link'}
        </Button>
      </Group>
    </Stack>
  )
}
