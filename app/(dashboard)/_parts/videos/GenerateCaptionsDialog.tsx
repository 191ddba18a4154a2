'use client'

import { Checkbox, Modal, Select, Stack } from '@mantine/core'
import { type FormErrors, schemaResolver } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'
import { LANGUAGES } from './languages'

const SPOKEN = { value: 'auto', label: 'Detect the spoken language' }

const validate = schemaResolver(
  lazySchema(async () =>
    (await import('#server/modules/transcoding/transcripts/transcript-schema')).generateCaptionsInput.omit({ videoId: true }),
  ),
)

/** Requests captions from the speech of a video, in a chosen or the spoken language. Asks before it replaces edits of a person. */
export function GenerateCaptionsDialog({ opened, onClose, video }: { opened: boolean; onClose: () => void; video: DashboardDetail }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const editedIn = (language: string) =>
    video.captions.find(({ generated, edited, ...one }) => generated && edited && (language === 'auto' || one.language === language))
  const form = useForm({
    initialValues: { language: 'auto', replace: false },
    async validate(values) {
      const errors: FormErrors = await validate(values)
      if (values.language !== 'auto' && editedIn(values.language) && !values.replace)
        errors.replace = 'Select this to replace them, or choose another language.'
      return errors
    },
  })
  const generate = useMutation(
    trpc.video.generateCaptions.mutationOptions({
      onError: showAtFields(form),
      onSuccess: async () => {
        onClose()
        await client.invalidateQueries(trpc.video.pathFilter())
      },
    }),
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: emptied when it opens
  useEffect(() => {
    if (!opened) return
    generate.reset()
    form.reset()
  }, [opened])

  const edited = editedIn(form.values.language)
  return (
    <Modal opened={opened} onClose={onClose} title="Generate captions">
      <form onSubmit={form.onSubmit((values) => generate.mutate({ videoId: video.id, ...values }))} noValidate>
        <Stack gap="md">
          <FormError error={generate.error} form={form} />
          <Select
            label="Spoken language"
            description="We transcribe the speech in this language. We never replace captions that you uploaded."
            data={[SPOKEN, ...LANGUAGES]}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No results"
            data-autofocus
            openOnFocus={false}
            {...form.getInputProps('language')}
          />
          {edited && (
            <Checkbox
              label={`Replace the edited captions “${edited.label}”`}
              description="The version history keeps the edited version."
              {...form.getInputProps('replace', { type: 'checkbox' })}
            />
          )}
          <DialogActions onCancel={onClose} loading={form.submitting || generate.isPending}>
            Generate captions
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
