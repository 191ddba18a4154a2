'use client'

import { Stack, Textarea, TextInput } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import { IconCloudDownload } from '@tabler/icons-react'
import type { QUALITIES } from '#server/modules/videos/schema'
import type { TrpcError } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { lazySchema } from '../../../_ui/form/lazy-schema'
import { useForm } from '../../../_ui/form/use-form'
import { EncodingFields } from './EncodingFields'

export interface ImportValues {
  url: string
  title: string
  description: string
  targetQuality: (typeof QUALITIES)[number]
  captions: string
  encrypted: boolean
}
export const importValues: ImportValues = {
  ...{ url: '', title: '', description: '' },
  ...{ targetQuality: '1080p', captions: '', encrypted: true },
}

const formSchema = lazySchema(async () => (await import('#server/modules/uploads/import/import-schema')).importFormInput)

interface Props {
  initial: ImportValues
  /** Whether the import had failed: then the other fields are those of before. */
  again?: boolean
  /** Whether it becomes a video of its own. */
  hasTitle?: boolean
  /** The mutation that starts the import. */
  start: { isPending: boolean; error: TrpcError | null }
  onSubmit: (values: ImportValues, settled: { onError: (error: TrpcError) => void }) => void
  onCancel: () => void
}

/** Starts an import of a file from a URL. */
export function ImportForm({ initial, again = false, hasTitle = true, start, onSubmit, onCancel }: Props) {
  const form = useForm<ImportValues>({ initialValues: initial, validate: schemaResolver(formSchema) })
  const submit = form.onSubmit((values) =>
    onSubmit(
      { ...values, url: values.url.trim(), title: values.title.trim(), description: values.description.trim() },
      { onError: showAtFields(form) },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <FormError error={start.error} form={form} />
        <TextInput
          label="URL"
          description="Must start with https://. Signed URLs work. We store it encrypted until the import ends."
          placeholder="https://storage.example.com/clip.mp4"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('url')}
        />
        {hasTitle && <TextInput label="Title" description="Optional. Defaults to the file name." {...form.getInputProps('title')} />}
        {!again && (
          <>
            <Textarea label="Description" description="Optional" {...form.getInputProps('description')} />
            <EncodingFields form={form} />
          </>
        )}
        <DialogActions
          onCancel={onCancel}
          sticky
          leftSection={<IconCloudDownload size={15} />}
          loading={form.submitting || start.isPending}
        >
          {again ? 'Import again' : 'Import'}
        </DialogActions>
      </Stack>
    </form>
  )
}
