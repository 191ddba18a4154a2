'use client'

import { Checkbox, Modal, PasswordInput, Radio, Stack, Text, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { grantRoleInput } from '#server/modules/backoffice/operator/schema'
import type { StaffRole } from '#server/permissions'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'

export type RoleChange = { kind: 'grant' } | { kind: 'revoke'; email: string; role: StaffRole }

interface Props {
  change: RoleChange
  opened: boolean
  onClose: () => void
}

const TITLES: Record<StaffRole, string> = { support: 'support staff', operator: 'an operator' }

/** Grants a role to a user or revokes it, after the operator has entered their password. */
export function RoleDialog({ change, opened, onClose }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const isGrant = change.kind === 'grant'
  const initialValues = {
    email: isGrant ? '' : change.email,
    role: (isGrant ? 'support' : change.role) as StaffRole,
    unverified: false,
    password: '',
  }
  const form = useForm({ initialValues, validate: schemaResolver(grantRoleInput, { sync: true }) })
  const options = {
    onSuccess: () => {
      notifications.show({ message: isGrant ? 'Role granted.' : 'Role revoked.' })
      onClose()
    },
    onError: showAtFields(form),
    onSettled: () => client.invalidateQueries(trpc.operator.listSupport.pathFilter()),
  }
  const changes = {
    'grant support': useMutation(trpc.operator.grantSupport.mutationOptions(options as object)),
    'grant operator': useMutation(trpc.operator.grantOperator.mutationOptions(options as object)),
    'revoke support': useMutation(trpc.operator.revokeSupport.mutationOptions(options as object)),
    'revoke operator': useMutation(trpc.operator.revokeOperator.mutationOptions(options as object)),
  }
  const chosen = changes[`${change.kind} ${form.values.role}`]
  return (
    <Modal opened={opened} onClose={onClose} title={isGrant ? 'Grant a role' : `Revoke the role of ${change.email}?`}>
      <form onSubmit={form.onSubmit(({ role: _, ...values }) => chosen.mutate(values))} noValidate>
        <Stack gap="md">
          <FormError error={chosen.error} form={form} />
          {isGrant ? (
            <>
              <TextInput
                type="email"
                label="Email"
                description="The user must have signed up."
                data-autofocus
                {...form.getInputProps('email')}
              />
              <Radio.Group label="Role" {...form.getInputProps('role')}>
                <Stack gap={6} mt={6}>
                  <Radio value="support" label="Support: the support pages only" />
                  <Radio value="operator" label="Operator: this console and the support pages" />
                </Stack>
              </Radio.Group>
              <Checkbox
                label="I have verified the email address myself"
                description="Needed only if the user has never verified it by email."
                {...form.getInputProps('unverified', { type: 'checkbox' })}
              />
            </>
          ) : (
            <Text fz="sm">
              {change.email} is {TITLES[change.role]}. They lose access at once, even on pages that they have open.
            </Text>
          )}
          <PasswordInput
            label="Your password"
            description="Confirms that it is you. If you have no password, sign out, sign in again and retry."
            autoComplete="current-password"
            {...form.getInputProps('password')}
          />
          <DialogActions onCancel={onClose} color={isGrant ? undefined : 'red'} loading={chosen.isPending}>
            {isGrant ? 'Grant role' : 'Revoke role'}
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
