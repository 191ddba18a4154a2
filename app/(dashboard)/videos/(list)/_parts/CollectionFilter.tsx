'use client'

import { Button, Popover } from '@mantine/core'
import { IconFolder } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { useTRPC } from '../../../../_trpc/client'
import { useMay } from '../../../_parts/permissions'
import classes from './Collections.module.css'
import { useLoadedPopover } from './use-loaded-popover'

const load = () => import('./CollectionChoice').then((module) => module.CollectionChoice)
const CollectionChoice = dynamic(load, { ssr: false })
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
  const { opened, setOpened, button } = useLoadedPopover(load)
  const [{ used, managing }, manage] = useState({ used: false, managing: false })
  if (collections.length === 0 && !mayChange && !chosen) return null
  // An address can name a collection that was deleted since; the list is empty then and the filter can be cleared.
  const name = chosen && (collections.find(({ id }) => id === chosen)?.name ?? 'Unknown collection')
  const choose = (id: string | undefined) => {
    setOpened(false)
    onChoose(id)
  }
  return (
    <>
      <Popover opened={opened} onChange={setOpened} position="bottom-start" width={280} trapFocus shadow="md" returnFocus>
        <Popover.Target>
          <Button
            className={classes.filter}
            variant={chosen ? 'light' : 'default'}
            leftSection={<IconFolder size={15} />}
            aria-label={`Collection: ${name ?? 'all'}`}
            {...button}
          >
            <span className={classes.label}>{name ?? 'Collection'}</span>
          </Button>
        </Popover.Target>
        <Popover.Dropdown p={6} aria-label="Collection">
          {opened && (
            <CollectionChoice
              collections={collections}
              chosen={chosen}
              onChoose={choose}
              onManage={
                mayChange
                  ? () => {
                      setOpened(false)
                      manage({ used: true, managing: true })
                    }
                  : undefined
              }
            />
          )}
        </Popover.Dropdown>
      </Popover>
      {used && (
        <CollectionsDialog
          opened={managing}
          onClose={() => manage({ used, managing: false })}
          onRemoved={(collectionId) => collectionId === chosen && onChoose(undefined)}
        />
      )}
    </>
  )
}
