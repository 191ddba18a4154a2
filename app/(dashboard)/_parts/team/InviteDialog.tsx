'use client'

import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { inviteMemberInput } from '#server/modules/identity/sign-in/schema'
import { ROLE_NAMES, ROLES, type Role } from '#server/permissions'
import { useTRPC } from '../../../_trpc/client'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { SecondFactorField, useCodeRequest } from '../../../_ui/form/SecondFactorField'
import { SecretDialog } from '../../../_ui/form/SecretDialog'
import { schemaErrors } from '../../../_ui/form/schema-errors'
import { useForm } from '../../../_ui/form/use-form'
import { InvitationLink } from './InvitationLink'

interface Values {
  email: string
  role: Role
  code: string
}

interface Props {
  opened: boolean
  onClose: () => void
}

/** Invites a member, and shows the link, once. */
export function InviteDialog({ opened, onClose }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const invite = useMutation(trpc.team.invite.mutationOptions())
  const { needsCode, noteRefusal } = useCodeRequest()
  const given = (values: Values) => ({ ...values, code: needsCode ? values.code : undefined })
  const form = useForm<Values>({
    initialValues: { email: '', role: 'DEVELOPER', code: '' },
    validate: (values) => schemaErrors(inviteMemberInput.safeParse(given(values))),
  })
  const showErrors = showAtFields(form)
  const submit = form.onSubmit((values) =>
    invite.mutate(given(values), {
      onSuccess: () => void client.invalidateQueries(trpc.team.pathFilter()),
      onError(error) {
        noteRefusal(error)
        showErrors(error)
      },
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
          {needsCode && <SecondFactorField description="Required to invite a member." {...form.getInputProps('code')} />}
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
