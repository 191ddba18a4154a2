'use client'

import { ActionIcon, Button, SegmentedControl, TextInput, Tooltip } from '@mantine/core'
import { IconBaselineDensitySmall, IconBookmark, IconLayoutGrid, IconSearch, IconTable } from '@tabler/icons-react'
import dynamic from 'next/dynamic'
import type { ListQuery } from '#server/modules/videos/list/list-schema'
import { useEntered } from '../../../../_ui/form/entered'
import { CollectionFilter } from './CollectionFilter'
import classes from './FilterBar.module.css'
import { FiltersButton } from './FiltersButton'
import type { Layout } from './layout'
import { SortMenu } from './SortMenu'

const SavedFilters = dynamic(() => import('./SavedFilters').then((module) => module.SavedFilters), {
  ssr: false,
  // Of the same size, so that the search field keeps its width.
  loading: () => (
    <Button variant="default" leftSection={<IconBookmark size={15} />} inert aria-hidden="true">
      Saved filters
    </Button>
  ),
})

const FILTERS = [
  { value: 'ALL', label: 'All' },
  { value: 'PENDING', label: 'Pending' },
  { value: 'PROCESSING', label: 'Processing' },
  { value: 'COMPLETED', label: 'Completed' },
  { value: 'FAILED', label: 'Failed' },
  { value: 'DELETED', label: 'Deleted' },
] as const
type Status = (typeof FILTERS)[number]['value']

interface Props {
  query: ListQuery
  onChange: (changes: Partial<ListQuery>) => void
  onReplace: (query: ListQuery) => void
  typed: string
  onType: (text: string) => void
  layout: Layout
  onLayout: (layout: Layout) => void
  /** Whether the account has no videos: then only those that were deleted can be found. */
  isEmpty: boolean
}

/** Filters, sorts and searches the list, and chooses how it is drawn. */
export function FilterBar({ query, onChange, onReplace, typed, onType, layout, onLayout, isEmpty }: Props) {
  const { filter, sort, collection } = query
  const field = useEntered(onType)
  return (
    <div className={classes.bar}>
      <div className={classes.line}>
        <SegmentedControl<Status>
          className={classes.status}
          data-scrolls
          aria-label="Status"
          data={[...FILTERS]}
          value={filter ?? 'ALL'}
          onChange={(value) => onChange({ filter: value === 'ALL' ? undefined : value })}
          size="xs"
        />
        <div className={classes.views} hidden={isEmpty}>
          <SegmentedControl
            size="xs"
            aria-label="View"
            value={layout.view}
            onChange={(view) => onLayout({ ...layout, view: view === 'grid' ? 'grid' : 'table' })}
            data={[
              { value: 'table', label: <View icon={<IconTable size={15} />} label="Table" /> },
              { value: 'grid', label: <View icon={<IconLayoutGrid size={15} />} label="Grid" /> },
            ]}
          />
          <Tooltip label={layout.dense ? 'Show more of each video' : 'Show more videos'}>
            <ActionIcon
              variant={layout.dense ? 'light' : 'default'}
              size={30}
              aria-label="Compact"
              aria-pressed={layout.dense}
              onClick={() => onLayout({ ...layout, dense: !layout.dense })}
            >
              <IconBaselineDensitySmall size={15} />
            </ActionIcon>
          </Tooltip>
        </div>
      </div>
      <div className={classes.line} hidden={isEmpty}>
        <TextInput
          className={classes.search}
          ref={field}
          aria-label="Search videos"
          placeholder="Search by title or ID"
          leftSection={<IconSearch size={15} />}
          value={typed}
          onChange={(event) => onType(event.currentTarget.value)}
        />
        <div className={classes.filters} data-scrolls>
          <CollectionFilter chosen={collection} onChoose={(id) => onChange({ collection: id })} />
          <FiltersButton query={query} onChange={onChange} />
          <SavedFilters query={query} onChoose={onReplace} />
          <SortMenu sort={sort ?? 'newest'} onChange={(value) => onChange({ sort: value === 'newest' ? undefined : value })} />
        </div>
      </div>
    </div>
  )
}

function View({ icon, label }: { icon: React.ReactNode; label: string }) {
  return (
    <span className={classes.view}>
      {icon}
      <span className={classes.label}>{label}</span>
    </span>
  )
}
