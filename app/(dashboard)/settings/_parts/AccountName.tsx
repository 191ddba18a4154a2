'use client'

import { Button, Group, Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { renameAccountInput } from '#server/user/schema'
import { useTRPC } from '../../../_trpc/client'
import { fieldErrors } from '../../../_ui/form-errors'
import { Notice } from '../../../_ui/Notice'

/** What the account is called in the dashboard and in invitations. */
export function AccountName({ name, mayChange }: { name: string; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const router = useRouter()
  const form = useForm({ initialValues: { name }, validate: schemaResolver(renameAccountInput, { sync: true }) })
  const rename = useMutation(
    trpc.account.rename.mutationOptions({
      onSuccess: async (_, values) => {
        form.resetDirty(values)
        await client.invalidateQueries(trpc.account.me.pathFilter())
        // The navigation shows it as well.
        router.refresh()
        notifications.show({ message: 'Renamed.', withBorder: true })
      },
      onError: (error) => form.setErrors(fieldErrors(error) ?? {}),
    }),
  )

  return (
    <form onSubmit={form.onSubmit((values) => rename.mutate(values))} noValidate>
      <Stack gap="md">
        {rename.isError && !form.errors.name && <Notice tone="bad">{rename.error.message}</Notice>}
        <TextInput
          label="Account name"
          description="Seen by its members alone."
          disabled={!mayChange}
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        {mayChange && (
          <Group>
            <Button type="submit" loading={rename.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
