'use client'

import { Modal, Stack, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useState } from 'react'
import { renameKeyInput } from '#server/modules/access/keys/schema'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import { useKeyActions } from '../../_parts/keys/use-key-actions'

/** Renames a key; its value and limits are unchanged. Stays open until the server has accepted the name. */
export function RenameDialog({ subject, opened, onClose }: { subject: ListedKey; opened: boolean; onClose: () => void }) {
  const {
    rename,
    renaming: { error, isPending, reset },
  } = useKeyActions(subject)
  const [expected, setSeen] = useState(subject.name)
  const form = useForm({
    initialValues: { name: subject.name },
    validate: schemaResolver(renameKeyInput.pick({ name: true }), { sync: true }),
  })
  const save = (expected: string) =>
    form.onSubmit(({ name }) => {
      if (name.trim() === expected) onClose()
      else rename(name.trim(), expected, { onDone: onClose, onError: showAtFields(form) })
    })
  const theirs = conflictOf<{ name?: string }>(error)?.name
  return (
    <Modal opened={opened} onClose={onClose} title={`Rename “${subject.name}”`}>
      <form onSubmit={save(expected)} noValidate>
        <Stack gap="md">
          <FormError error={theirs === undefined ? error : null} form={form} />
          <TextInput
            label="Name"
            description="Shown in the dashboard only. Renaming does not affect requests."
            data-autofocus
            {...form.getInputProps('name')}
          />
          {theirs !== undefined && (
            <Conflict
              fields={[{ title: 'Name', mine: form.values.name, theirs }]}
              busy={isPending}
              onTakeTheirs={() => {
                reset()
                setSeen(theirs)
                form.setValues({ name: theirs })
              }}
              onKeepMine={save(theirs)}
            />
          )}
          <DialogActions onCancel={onClose} loading={isPending}>
            Rename
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
