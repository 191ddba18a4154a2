'use client'

import { Button, Group, Modal, Pill, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { foldCase } from '#server/platform/text/fold-case'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'

/** Value of the option that creates a collection; no collection has this id. */
const NEW = 'new'

/** Adds a video to collections, or to a new one with the typed name, and removes it. */
export function CollectionDialog({ video, opened, onClose }: { video: DashboardVideo; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data: all = [] } = useQuery(trpc.collection.list.queryOptions())
  const [typed, setTyped] = useState('')
  const settled = { onSettled: () => client.invalidateQueries(trpc.video.pathFilter()) }
  const add = useMutation(trpc.collection.add.mutationOptions(settled))
  const take = useMutation(trpc.collection.take.mutationOptions(settled))
  const create = useMutation(
    trpc.collection.create.mutationOptions({ onSettled: () => client.invalidateQueries(trpc.collection.pathFilter()) }),
  )
  const problem = create.error ?? add.error ?? take.error

  const joined = new Set(video.collections.map(({ id }) => id))
  const options = all.filter(({ id }) => !joined.has(id)).map(({ id, name }) => ({ value: id, label: name }))
  const name = typed.trim()
  if (name && !all.some((one) => foldCase(one.name) === foldCase(name))) options.push({ value: NEW, label: `Create “${name}”` })

  const choose = (value: string | null) => {
    for (const change of [create, add, take]) change.reset()
    setTyped('')
    const addTo = (collectionId: string) => add.mutate({ collectionId, videoId: video.id })
    if (value === NEW) create.mutate({ name }, { onSuccess: ({ id }) => addTo(id) })
    else if (value) addTo(value)
  }
  return (
    <Modal opened={opened} onClose={onClose} title={`Collections of “${video.title}”`}>
      <Stack gap="md">
        {problem && <Notice tone="bad">{problem.message}</Notice>}
        {video.collections.length > 0 ? (
          <Group gap={6}>
            {video.collections.map(({ id, name }) => (
              <Pill
                key={id}
                size="md"
                withRemoveButton
                disabled={take.isPending}
                onRemove={() => take.mutate({ collectionId: id, videoId: video.id })}
                removeButtonProps={{ 'aria-label': `Remove from ${name}`, tabIndex: 0, 'aria-hidden': false }}
              >
                {name}
              </Pill>
            ))}
          </Group>
        ) : (
          <Text size="sm" c="dimmed">
            Not in any collection.
          </Text>
        )}
        <Select
          aria-label="Add to a collection"
          placeholder="Find or create a collection"
          data-autofocus
          data={options}
          value={null}
          onChange={choose}
          searchable
          // Open, it would cover the button.
          openOnFocus={false}
          searchValue={typed}
          onSearchChange={setTyped}
          nothingFoundMessage={name ? 'Already in this collection.' : 'Type a name to create a collection.'}
          filter={({ options: list, search }) =>
            list.filter((one) => 'value' in one && (one.value === NEW || foldCase(one.label).includes(foldCase(search.trim()))))
          }
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
