'use client'

import { ActionIcon, Anchor, Select, Stack } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { useTRPC } from '../../../../_trpc/client'
import { Link } from '../../../../_ui/Link'
import { Notice } from '../../../../_ui/Notice'
import { Panel } from '../../../../_ui/Panel'
import classes from './Collections.module.css'

/** Value of the option that creates a collection; no collection has this id. */
const NEW = 'new'

/** Shows the collections that a video is in, adds it to others, new ones too, and removes it. */
export function Collections({ video, mayChange }: { video: DashboardDetail; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const all = useQuery({ ...trpc.collection.list.queryOptions(), enabled: mayChange })
  const [typed, setTyped] = useState('')
  const changed = { onSettled: () => client.invalidateQueries(trpc.video.pathFilter()) }
  const add = useMutation(trpc.collection.add.mutationOptions(changed))
  const take = useMutation(trpc.collection.take.mutationOptions(changed))
  const create = useMutation(
    trpc.collection.create.mutationOptions({ onSettled: () => client.invalidateQueries(trpc.collection.pathFilter()) }),
  )
  const busy = add.isPending || take.isPending || create.isPending
  const problem = create.error ?? add.error ?? take.error

  const others = (all.data ?? []).filter(({ id }) => !video.collections.some((one) => one.id === id))
  const options = others.map(({ id, name }) => ({ value: id, label: name }))
  const name = typed.trim()
  const exists = all.data?.some((one) => one.name.toLowerCase() === name.toLowerCase())
  if (name && !exists) options.push({ value: NEW, label: `Create “${name}”` })

  const choose = (value: string | null) => {
    for (const mutation of [create, add, take]) mutation.reset()
    setTyped('')
    const addTo = (collectionId: string) => add.mutate({ collectionId, videoId: video.id })
    if (value === NEW) create.mutate({ name }, { onSuccess: ({ id }) => addTo(id) })
    else if (value) addTo(value)
  }

  return (
    <Panel title="Collections">
      <Stack gap="sm">
        {problem && <Notice tone="bad">{problem.message}</Notice>}
        {video.collections.length === 0 && !mayChange && <p className={classes.none}>This video is in no collection.</p>}
        {video.collections.length > 0 && (
          <ul className={classes.list} aria-label="Collections of this video">
            {video.collections.map((one) => (
              <li key={one.id}>
                <Anchor component={Link} href={`/videos?collection=${one.id}`} className={classes.name}>
                  {one.name}
                </Anchor>
                {mayChange && (
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="sm"
                    aria-label={`Remove from ${one.name}`}
                    disabled={busy}
                    onClick={() => {
                      for (const mutation of [create, add, take]) mutation.reset()
                      take.mutate({ collectionId: one.id, videoId: video.id })
                    }}
                  >
                    <IconX size={14} />
                  </ActionIcon>
                )}
              </li>
            ))}
          </ul>
        )}
        {mayChange && (
          <Select
            aria-label="Add to a collection"
            placeholder="Add to a collection"
            data={options}
            value={null}
            onChange={choose}
            searchable
            searchValue={typed}
            onSearchChange={setTyped}
            nothingFoundMessage={name ? 'This video is in that collection.' : 'Type a name to create a collection.'}
            filter={({ options: list, search }) =>
              list.filter((one) => 'value' in one && (one.value === NEW || one.label.toLowerCase().includes(search.trim().toLowerCase())))
            }
            disabled={busy}
          />
        )}
      </Stack>
    </Panel>
  )
}
