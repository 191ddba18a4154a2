'use client'

import { ActionIcon, Select, Tooltip } from '@mantine/core'
import { IconFolderCog } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { useTRPC } from '../../../../_trpc/client'
import { useMay } from '../../../_parts/permissions'
import classes from './Videos.module.css'

const CollectionsDialog = dynamic(() => import('./CollectionsDialog').then((module) => module.CollectionsDialog), { ssr: false })

interface Props {
  /** Id of the collection whose videos are listed; undefined for all videos. */
  chosen: string | undefined
  onChoose: (collectionId: string | undefined) => void
}

/** Chooses the collection that the list shows, and opens the dialog that creates, renames and deletes collections. */
export function CollectionFilter({ chosen, onChoose }: Props) {
  const trpc = useTRPC()
  const { data: collections = [] } = useQuery(trpc.collection.list.queryOptions())
  const mayChange = useMay('videos.change')
  const [{ used, open }, set] = useState({ used: false, open: false })
  if (collections.length === 0 && !mayChange && !chosen) return null
  const data = collections.map(({ id, name }) => ({ value: id, label: name }))
  // An address can name a collection that was deleted since; the list is empty then and the filter can be cleared.
  if (chosen && !collections.some(({ id }) => id === chosen)) data.unshift({ value: chosen, label: 'Unknown collection' })
  return (
    <div className={classes.collection}>
      <Select
        aria-label="Collection"
        placeholder="All collections"
        data={data}
        value={chosen ?? null}
        onChange={(value) => onChoose(value ?? undefined)}
        nothingFoundMessage={collections.length === 0 ? 'No collections yet' : 'No results'}
        searchable
        clearable
        checkIconPosition="right"
      />
      {mayChange && (
        <Tooltip label="Manage collections">
          <ActionIcon variant="default" size={36} aria-label="Manage collections" onClick={() => set({ used: true, open: true })}>
            <IconFolderCog size={17} />
          </ActionIcon>
        </Tooltip>
      )}
      {used && (
        <CollectionsDialog
          opened={open}
          onClose={() => set({ used, open: false })}
          onRemoved={(collectionId) => collectionId === chosen && onChoose(undefined)}
        />
      )}
    </div>
  )
}
