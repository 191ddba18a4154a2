'use client'

import { Button, Popover } from '@mantine/core'
import { IconBookmark } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { writeListQuery } from '#server/modules/videos/address-schema'
import type { ListQuery } from '#server/modules/videos/list/list-schema'
import { useTRPC } from '../../../../_trpc/client'
import { useMay } from '../../../_parts/permissions'
import classes from './SavedFilters.module.css'
import { useLoadedPopover } from './use-loaded-popover'

const load = () => import('./SavedFilterList').then((module) => module.SavedFilterList)
const SavedFilterList = dynamic(load, { ssr: false })
const SaveFilterDialog = dynamic(() => import('./SaveFilterDialog').then((module) => module.SaveFilterDialog), { ssr: false })

/** Applies a saved filter, deletes one, and saves the current one under a name. */
export function SavedFilters({ query, onChoose }: { query: ListQuery; onChoose: (query: ListQuery) => void }) {
  const trpc = useTRPC()
  const mayShare = useMay('videos.change')
  const { data: filters } = useQuery(trpc.library.filters.queryOptions())
  const { opened, setOpened, button } = useLoadedPopover(load)
  const [{ used, saving }, save] = useState({ used: false, saving: false })
  const written = writeListQuery(query)
  const current = filters?.find((one) => one.query === written)
  const choose = async (saved: string) => {
    setOpened(false)
    const { readListQuery } = await import('#server/modules/videos/list/list-schema')
    onChoose(readListQuery(new URLSearchParams(saved)))
  }
  return (
    <>
      <Popover opened={opened} onChange={setOpened} position="bottom-end" width={300} trapFocus shadow="md" returnFocus>
        <Popover.Target>
          <Button
            className={classes.button}
            variant={current ? 'light' : 'default'}
            leftSection={<IconBookmark size={15} />}
            aria-label={`Saved filters${current ? `: ${current.name}` : ''}`}
            {...button}
          >
            <span className={classes.label}>{current?.name ?? 'Saved filters'}</span>
          </Button>
        </Popover.Target>
        <Popover.Dropdown p={6} aria-label="Saved filters">
          {opened && (
            <SavedFilterList
              filters={filters}
              current={current?.id}
              mayShare={mayShare}
              onChoose={(saved) => void choose(saved)}
              onSave={
                written === ''
                  ? undefined
                  : () => {
                      setOpened(false)
                      save({ used: true, saving: true })
                    }
              }
            />
          )}
        </Popover.Dropdown>
      </Popover>
      {used && <SaveFilterDialog opened={saving} onClose={() => save({ used, saving: false })} query={written} mayShare={mayShare} />}
    </>
  )
}
