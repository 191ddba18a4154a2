'use client'

import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core'
import { schemaResolver, useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { DashboardDetail } from '#server/video/dashboard-get'
import { editVideoInput } from '#server/video/schema'
import { useTRPC } from '../../../../_trpc/client'
import { fieldErrors } from '../../../../_ui/form-errors'
import { Notice } from '../../../../_ui/Notice'

const formSchema = editVideoInput.pick({ title: true, description: true })

/** Title and description. */
export function EditDialog({ opened, onClose, video }: { opened: boolean; onClose: () => void; video: DashboardDetail }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const edit = useMutation(trpc.video.edit.mutationOptions())
  const form = useForm({ initialValues: { title: '', description: '' }, validate: schemaResolver(formSchema, { sync: true }) })

  // biome-ignore lint/correctness/useExhaustiveDependencies: filled when it opens; live changes must not overwrite what is being typed
  useEffect(() => {
    if (!opened) return
    edit.reset()
    form.setInitialValues({ title: video.title, description: video.description ?? '' })
    form.reset()
  }, [opened])

  const submit = form.onSubmit((values) =>
    edit.mutate(
      { videoId: video.id, ...values },
      {
        onSuccess: () => {
          void client.invalidateQueries(trpc.video.pathFilter())
          onClose()
        },
        onError: (error) => form.setErrors(fieldErrors(error) ?? {}),
      },
    ),
  )

  return (
    <Modal opened={opened} onClose={onClose} title="Edit video">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {edit.isError && !fieldErrors(edit.error) && <Notice tone="bad">{edit.error.message}</Notice>}
          <TextInput label="Title" data-autofocus {...form.getInputProps('title')} />
          <Textarea label="Description" description="Optional" autosize minRows={3} maxRows={10} {...form.getInputProps('description')} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={edit.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
