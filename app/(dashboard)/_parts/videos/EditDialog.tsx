'use client'

import { Modal, Stack, Textarea, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'

type Version = { title: string; description: string | null }

const formSchema = lazySchema(async () =>
  (await import('#server/modules/videos/schema')).editVideoInput.pick({ title: true, description: true }),
)

/** Edits title and description. */
export function EditDialog({ opened, onClose, video }: { opened: boolean; onClose: () => void; video: DashboardVideo }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const edit = useMutation(trpc.video.edit.mutationOptions())
  const [expected, setSeen] = useState<Version>(video)
  const form = useForm({ initialValues: { title: '', description: '' }, validate: schemaResolver(formSchema) })

  // biome-ignore lint/correctness/useExhaustiveDependencies: filled when it opens; live changes must not overwrite the user's input
  useEffect(() => {
    if (opened) show(video)
  }, [opened])

  const show = ({ title, description }: Version) => {
    edit.reset()
    setSeen({ title, description })
    form.setInitialValues({ title, description: description ?? '' })
    form.reset()
  }
  const save = (expected: Version) => (values: typeof form.values) =>
    edit.mutate(
      { videoId: video.id, ...values, expected: { title: expected.title, description: expected.description } },
      {
        onSuccess: () => {
          void client.invalidateQueries(trpc.video.pathFilter())
          onClose()
        },
        onError: showAtFields(form),
      },
    )
  const submit = form.onSubmit(save(expected))
  const theirs = conflictOf<Version>(edit.error)

  return (
    <Modal opened={opened} onClose={onClose} title="Edit video">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormError error={theirs ? null : edit.error} form={form} />
          <TextInput label="Title" data-autofocus {...form.getInputProps('title')} />
          <Textarea label="Description" description="Optional" minRows={3} maxRows={10} {...form.getInputProps('description')} />
          {theirs && (
            <Conflict
              fields={[
                { title: 'Title', mine: form.values.title, theirs: theirs.title },
                { title: 'Description', mine: form.values.description, theirs: theirs.description ?? '' },
              ]}
              busy={form.submitting || edit.isPending}
              onTakeTheirs={() => show(theirs)}
              onKeepMine={form.onSubmit(save(theirs))}
            />
          )}
          <DialogActions onCancel={onClose} loading={form.submitting || edit.isPending}>
            Save
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
