import { Modal, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { usePathname, useRouter } from 'next/navigation'
import { useState } from 'react'
import { rotateKeyInput } from '#server/modules/access/keys/schema'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { useTRPC } from '../../../_trpc/client'
import { DialogActions } from '../../../_ui/form/DialogActions'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { SecondFactorField, useCodeRequest } from '../../../_ui/form/SecondFactorField'
import { schemaErrors } from '../../../_ui/form/schema-errors'
import { useForm } from '../../../_ui/form/use-form'
import { KeyShownOnce } from '../../_parts/keys/KeyShownOnce'
import { CarriedOver } from './CarriedOver'

const OVERLAPS = [
  { value: '0', label: 'No overlap (stops immediately)' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
  { value: '604800', label: '7 days' },
]

const input = rotateKeyInput.pick({ code: true })

interface Props {
  subject: ListedKey
  baseUrl: string
  opened: boolean
  onClose: () => void
}

/** Replaces a key by a new one with the same name and scopes; the old one works until the rotation overlap ends. */
export function RotateDialog({ subject, baseUrl, opened, onClose }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const router = useRouter()
  const path = usePathname()
  const [overlap, setOverlap] = useState('86400')
  const { needsCode, noteRefusal } = useCodeRequest()
  const given = ({ code }: { code: string }) => ({ code: needsCode ? code : undefined })
  const form = useForm({ initialValues: { code: '' }, validate: (values) => schemaErrors(input.safeParse(given(values))) })
  const showErrors = showAtFields(form)
  const rotate = useMutation(
    trpc.key.rotate.mutationOptions({
      onSuccess: () => void client.invalidateQueries(trpc.key.pathFilter()),
      onError(error) {
        noteRefusal(error)
        showErrors(error)
      },
    }),
  )
  const submit = form.onSubmit((values) => rotate.mutate({ keyId: subject.id, overlapSec: Number(overlap), ...given(values) }))
  if (rotate.data) {
    const { id } = rotate.data
    const done = () => {
      onClose()
      // The page of the replaced key becomes that of the current one.
      if (path === `/api-keys/${subject.id}`) router.replace(`/api-keys/${id}`)
    }
    return <KeyShownOnce made={rotate.data} title={`Key “${subject.name}” rotated`} baseUrl={baseUrl} opened={opened} onClose={done} />
  }

  return (
    <Modal opened={opened} onClose={onClose} title={`Rotate “${subject.name}”?`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormError error={rotate.error} form={form} />
          <Text size="sm">Creates a new secret for this key. Update your backend while the old one still works.</Text>
          <CarriedOver subject={subject} overlapSec={Number(overlap)} />
          <Select
            label="Keep the old key active for"
            data={OVERLAPS}
            value={overlap}
            onChange={(value) => value && setOverlap(value)}
            allowDeselect={false}
          />
          {needsCode && <SecondFactorField description="Required to rotate a key." {...form.getInputProps('code')} />}
          <DialogActions onCancel={onClose} focusCancel loading={rotate.isPending}>
            Rotate key
          </DialogActions>
        </Stack>
      </form>
    </Modal>
  )
}
