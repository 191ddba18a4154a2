import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { usePathname, useRouter } from 'next/navigation'
import { useState } from 'react'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { KeyShownOnce } from '../../_parts/keys/KeyShownOnce'
import { CarriedOver } from './CarriedOver'

const OVERLAPS = [
  { value: '0', label: 'No overlap (refused immediately)' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '24 hours' },
  { value: '604800', label: '7 days' },
]

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
  const rotate = useMutation(trpc.key.rotate.mutationOptions({ onSuccess: () => void client.invalidateQueries(trpc.key.pathFilter()) }))
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
      <Stack gap="md">
        {rotate.isError && <Notice tone="bad">{rotate.error.message}</Notice>}
        <Text size="sm">Creates a new secret for this key. Update your backend while the old one still works.</Text>
        <CarriedOver subject={subject} overlapSec={Number(overlap)} />
        <Select
          label="Keep the old key active for"
          data={OVERLAPS}
          value={overlap}
          onChange={(value) => value && setOverlap(value)}
          allowDeselect={false}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button loading={rotate.isPending} onClick={() => rotate.mutate({ keyId: subject.id, overlapSec: Number(overlap) })}>
            Rotate key
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
