'use client'

import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { Invited } from '#server/team/invite'
import { INVITATION_DAYS } from '#server/team/limits'
import { useCopy } from '../../../_ui/use-copy'

/** The link of an invitation, shown this once, and what to do with it. */
export function InvitationLink({ invited, email, onDone }: { invited: Invited; email: string; onDone: () => void }) {
  const [state, copy] = useCopy(invited.url)
  return (
    <Stack gap="md">
      <Text>
        {invited.mailed ? (
          <>
            We have mailed this link to <b>{email}</b>. You can send it yourself as well.
          </>
        ) : (
          <>
            Send this link to <b>{email}</b>.
          </>
        )}{' '}
        It works once, within {INVITATION_DAYS} days, and is not shown again.
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
          {state === 'copied' ? 'Copied' : state === 'failed' ? 'Select it and copy by hand' : 'Copy link'}
        </Button>
      </Group>
    </Stack>
  )
}
