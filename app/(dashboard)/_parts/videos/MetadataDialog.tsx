'use client'

import { ActionIcon, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { useTRPC } from '../../../_trpc/client'
import { Conflict } from '../../../_ui/form/Conflict'
import { conflictOf } from '../../../_ui/form/conflict-of'
import { FormError } from '../../../_ui/form/FormError'
import { showAtFields } from '../../../_ui/form/form-errors'
import { useForm } from '../../../_ui/form/use-form'
import { enteredMetadata, isFull, type MetadataValues, metadataErrors, metadataValues, type StoredMetadata } from './metadata-form'

/** Edits the external id and the metadata of a video. Shows a concurrent change instead of overwriting it. */
export function MetadataDialog({ opened, onClose, video }: { opened: boolean; onClose: () => void; video: DashboardVideo }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [expected, setExpected] = useState<StoredMetadata>({ metadata: video.metadata, externalId: video.externalId })
  const form = useForm<MetadataValues>({ initialValues: metadataValues(video), validate: metadataErrors })
  const change = useMutation(
    trpc.video.setMetadata.mutationOptions({
      onSuccess() {
        void client.invalidateQueries(trpc.video.pathFilter())
        onClose()
      },
      onError: showAtFields(form),
    }),
  )
  const theirs = conflictOf<StoredMetadata>(change.error)
  const save = (seen: StoredMetadata) =>
    form.onSubmit((values) => change.mutate({ videoId: video.id, ...enteredMetadata(values), expected: seen }))
  const take = (stored: StoredMetadata) => {
    change.reset()
    setExpected(stored)
    form.setValues(metadataValues(stored))
  }

  return (
    <Modal opened={opened} onClose={onClose} title="Change metadata">
      <form onSubmit={save(expected)} noValidate>
        <Stack gap="md">
          <FormError error={theirs ? null : change.error} form={form} />
          {theirs && (
            <Conflict
              fields={[
                { title: 'External ID', mine: form.values.externalId, theirs: theirs.externalId ?? '' },
                { title: 'Metadata', mine: shown(enteredMetadata(form.values)), theirs: shown(theirs) },
              ]}
              busy={change.isPending}
              onTakeTheirs={() => take(theirs)}
              onKeepMine={save(theirs)}
            />
          )}
          <TextInput
            label="External ID"
            description="Optional. Your own ID for this video, unique in this account."
            data-autofocus
            {...form.getInputProps('externalId')}
          />
          <Stack gap="xs" role="group" aria-label="Metadata">
            {form.values.rows.length === 0 && (
              <Text size="sm" c="dimmed">
                Store up to 50 key–value pairs, such as a course or a lesson.
              </Text>
            )}
            {form.values.rows.map((_row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity while its name is typed
              <Group key={at} gap="xs" align="flex-start" wrap="nowrap">
                <TextInput aria-label="Name" placeholder="Name" flex={2} {...form.getInputProps(`rows.${at}.name`)} />
                <TextInput aria-label="Value" placeholder="Value" flex={3} {...form.getInputProps(`rows.${at}.text`)} />
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  mt={4}
                  aria-label={`Remove row ${at + 1}`}
                  onClick={() => form.removeListItem('rows', at)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Group>
            ))}
          </Stack>
          <Group justify="space-between" gap="xs">
            <Button
              variant="default"
              leftSection={<IconPlus size={14} />}
              disabled={isFull(form.values)}
              onClick={() => form.insertListItem('rows', { name: '', text: '' })}
            >
              Add metadata
            </Button>
            <Group gap="xs" ms="auto">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={change.isPending}>
                Save
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

const shown = ({ metadata }: StoredMetadata) =>
  Object.entries(metadata)
    .map(([name, text]) => `${name}: ${text}`)
    .sort()
    .join(', ')
