'use client'

import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import type { ListedKey } from '#server/key/list'
import { renameKeyInput } from '#server/key/schema'
import { useKeyActions } from '../../_parts/keys/use-key-actions'

/** Asks for a key's new name; the key goes on as it is. */
export function RenameDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const { rename } = useKeyActions(subject)
  const form = useForm({
    initialValues: { name: subject.name },
    validate: schemaResolver(renameKeyInput.pick({ name: true }), { sync: true }),
  })
  const submit = form.onSubmit(({ name }) => {
    if (name.trim() !== subject.name) rename(name.trim())
    onClose()
  })
  return (
    <Modal opened={opened} onClose={onClose} title={`Rename “${subject.name}”`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            label="Name"
            description="Only people see it. Whatever uses the key goes on."
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">Rename</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
