'use client'

import { Button, Group, Stack, Textarea } from '@mantine/core'
import { schemaResolver } from '@mantine/form'
import type { TrpcError } from '../../../../../_trpc/client'
import { FormError } from '../../../../../_ui/form/FormError'
import { showAtFields } from '../../../../../_ui/form/form-errors'
import { lazySchema } from '../../../../../_ui/form/lazy-schema'
import { useForm } from '../../../../../_ui/form/use-form'

const formSchema = lazySchema(() => import('#server/modules/backoffice/support/schema').then((module) => module.noteFormInput))

interface Props {
  label: string
  description?: string
  button: string
  initial: string
  busy: boolean
  error: TrpcError | null
  onSave: (body: string, after: { onDone: () => void; onError: (error: TrpcError) => void }) => void
  onCancel?: () => void
}

/** Asks for the text of a note. */
export function NoteForm({ label, description, button, initial, busy, error, onSave, onCancel }: Props) {
  const form = useForm({ initialValues: { body: initial }, validate: schemaResolver(formSchema) })
  return (
    <form onSubmit={form.onSubmit(({ body }) => onSave(body, { onDone: form.reset, onError: showAtFields(form) }))} noValidate>
      <Stack gap="xs">
        <FormError error={error} form={form} />
        <Textarea label={label} description={description} maxRows={14} {...form.getInputProps('body')} />
        <Group justify="flex-end" gap="xs">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={form.submitting || busy}>
            {button}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
