'use client'

import { Button, Group, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useState } from 'react'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'

const schema = lazySchema(async () => (await import('#server/modules/identity/accounts/schema')).renameAccountInput.pick({ name: true }))

/** Edits the account's name, shown in the dashboard and in invitations. */
export function AccountName({ name, mayChange }: { name: string; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const router = useRouter()
  const [expected, setSeen] = useState(name)
  const form = useForm({ initialValues: { name }, validate: schemaResolver(schema) })
  const rename = useMutation(
    trpc.account.rename.mutationOptions({
      onSuccess: async (_, values) => {
        accept(values.name)
        await client.invalidateQueries(trpc.account.me.pathFilter())
        // The navigation shows it as well.
        router.refresh()
        notifications.show({ message: 'Account renamed.', withBorder: true })
      },
      onError: showAtFields(form),
    }),
  )

  const accept = (name: string) => {
    setSeen(name)
    form.setValues({ name })
    form.resetDirty({ name })
  }
  const theirs = conflictOf<{ name: string }>(rename.error)
  const save = (expected: string) => form.onSubmit(({ name }) => rename.mutate({ name, expected }))

  return (
    <form onSubmit={save(expected)} noValidate>
      <Stack gap="md">
        <FormError error={theirs ? null : rename.error} form={form} />
        <TextInput
          label="Account name"
          description="Visible to members only."
          disabled={!mayChange}
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        {theirs && (
          <Conflict
            fields={[{ title: 'Name', mine: form.values.name, theirs: theirs.name }]}
            busy={form.submitting || rename.isPending}
            onTakeTheirs={() => {
              rename.reset()
              accept(theirs.name)
            }}
            onKeepMine={save(theirs.name)}
          />
        )}
        {mayChange && (
          <Group>
            <Button type="submit" loading={form.submitting || rename.isPending} disabled={!form.isDirty()}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}
