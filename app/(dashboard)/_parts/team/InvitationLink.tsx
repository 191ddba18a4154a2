'use client'

import { Button, Group, Stack, Text } from '@mantine/core'
import { INVITATION_DAYS } from '#server/modules/identity/limits'
import type { Invited } from '#server/modules/identity/members/invite'
import { SecretPanel } from '../../../_ui/form/SecretPanel'

/** Shows the result of an invitation: its link, once; or that it is being mailed, since a mailed link proves the owner of the address. */
export function InvitationLink({ invited, email, onDone }: { invited: Invited; email: string; onDone: () => void }) {
  if (invited.url === null)
    return (
      <Stack gap="md">
        <Text>
          We sent an invitation to <b>{email}</b>. It works once, within {INVITATION_DAYS} days. Check its delivery or resend it under
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
      <SecretPanel
        title="Invitation link"
        value={invited.url}
        warning={`Send this link to ${email}. It works once, within ${INVITATION_DAYS} days. You won’t see it again.`}
        copyLabel="Copy link"
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
      </Group>
    </Stack>
  )
}
