'use client'

import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { inviteInput } from '#server/modules/accounts/member-schema'
import { ROLE_NAMES, ROLES, type Role } from '#server/permissions'
import { useTRPC } from '../../../_trpc/client'
import { FormError } from '../../../_ui/FormError'
import { showAtFields } from '../../../_ui/form-errors'
import { SecretDialog } from '../../../_ui/SecretDialog'
import { useForm } from '../../../_ui/use-form'
import { InvitationLink } from './InvitationLink'

interface Props {
  opened: boolean
  onClose: () => void
}

/** Invites a member, and shows the link, once. */
export function InviteDialog({ opened, onClose }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const invite = useMutation(trpc.team.invite.mutationOptions())
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'DEVELOPER' },
    validate: schemaResolver(inviteInput, { sync: true }),
  })
  const submit = form.onSubmit((values) =>
    invite.mutate(values, {
      onSuccess: () => void client.invalidateQueries(trpc.team.pathFilter()),
      onError: showAtFields(form),
    }),
  )
  if (invite.data)
    return (
      <SecretDialog opened={opened} onClose={onClose} title="Invitation created">
        <InvitationLink invited={invite.data} email={invite.variables?.email ?? ''} onDone={onClose} />
      </SecretDialog>
    )

  return (
    <Modal opened={opened} onClose={onClose} title="Invite member">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormError error={invite.error} form={form} />
          <TextInput
            label="Email"
            description="The invitation can only be accepted with this email address."
            type="email"
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('email')}
          />
          <Radio.Group label="Role" {...form.getInputProps('role')}>
            <Stack gap="xs" mt={6}>
              {ROLE_NAMES.map((role) => (
                <Radio key={role} value={role} label={ROLES[role].title} description={ROLES[role].says} />
              ))}
            </Stack>
          </Radio.Group>
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={invite.isPending}>
              Invite
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
