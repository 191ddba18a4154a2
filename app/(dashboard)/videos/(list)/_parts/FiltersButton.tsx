'use client'

import { Button, Popover } from '@mantine/core'
import { IconAdjustmentsHorizontal } from '@tabler/icons-react'
import dynamic from 'next/dynamic'
import type { ListQuery } from '#server/modules/videos/list/list-schema'
import { useLoadedPopover } from './use-loaded-popover'

const load = () => import('./MoreFilters').then((module) => module.MoreFilters)
const MoreFilters = dynamic(load, { ssr: false })

/** Opens the filters by metadata, external ID, spoken words and days, and shows how many are set. */
export function FiltersButton({ query, onChange }: { query: ListQuery; onChange: (changes: Partial<ListQuery>) => void }) {
  const { opened, setOpened, button } = useLoadedPopover(load)
  const { externalId, transcript, metadata, range, from, to } = query
  const count = [externalId, transcript, range ?? from ?? to].filter(Boolean).length + Object.keys(metadata ?? {}).length
  const apply = (changes: Partial<ListQuery>) => {
    onChange(changes)
    setOpened(false)
  }
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" width="min(380px, calc(100vw - 24px))" trapFocus shadow="md">
      <Popover.Target>
        <Button variant="default" leftSection={<IconAdjustmentsHorizontal size={15} />} {...button}>
          Filters{count > 0 && ` (${count})`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filters">{opened && <MoreFilters query={query} onApply={apply} />}</Popover.Dropdown>
    </Popover>
  )
}
