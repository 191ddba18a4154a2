'use client'

import { Select, Stack } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { foldCase } from '#server/platform/text/fold-case'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'

/** Value of the option that creates a collection; no collection has this id. */
const NEW = 'new'

/** Adds a video to a collection of the account, or to a new one with the typed name. */
export function AddToCollection({ video }: { video: DashboardVideo }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data: all = [] } = useQuery(trpc.collection.list.queryOptions())
  const [typed, setTyped] = useState('')
  const add = useMutation(trpc.collection.add.mutationOptions({ onSettled: () => client.invalidateQueries(trpc.video.pathFilter()) }))
  const create = useMutation(
    trpc.collection.create.mutationOptions({ onSettled: () => client.invalidateQueries(trpc.collection.pathFilter()) }),
  )
  const problem = create.error ?? add.error

  const joined = new Set(video.collections.map(({ id }) => id))
  const options = all.filter(({ id }) => !joined.has(id)).map(({ id, name }) => ({ value: id, label: name }))
  const name = typed.trim()
  if (name && !all.some((one) => foldCase(one.name) === foldCase(name))) options.push({ value: NEW, label: `Create “${name}”` })

  const choose = (value: string | null) => {
    create.reset()
    add.reset()
    setTyped('')
    const addTo = (collectionId: string) => add.mutate({ collectionId, videoId: video.id })
    if (value === NEW) create.mutate({ name }, { onSuccess: ({ id }) => addTo(id) })
    else if (value) addTo(value)
  }

  return (
    <Stack gap="xs">
      {problem && <Notice tone="bad">{problem.message}</Notice>}
      <Select
        aria-label="Add to a collection"
        placeholder="Find or create a collection"
        autoFocus
        data={options}
        value={null}
        onChange={choose}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        nothingFoundMessage={name ? 'This video is in that collection.' : 'Type a name to create a collection.'}
        filter={({ options: list, search }) =>
          list.filter((one) => 'value' in one && (one.value === NEW || foldCase(one.label).includes(foldCase(search.trim()))))
        }
        disabled={add.isPending || create.isPending}
      />
    </Stack>
  )
}
