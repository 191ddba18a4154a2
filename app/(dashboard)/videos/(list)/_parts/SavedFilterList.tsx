'use client'

import { ActionIcon, Button, CheckIcon, Skeleton, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconDeviceFloppy, IconTrash, IconUsers } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SavedFilter } from '#server/modules/dashboard/library/saved-filters'
import { useTRPC } from '../../../../_trpc/client'
import { offerUndo } from '../../../_parts/offer-undo'
import classes from './SavedFilters.module.css'

interface Props {
  /** Undefined while they load. */
  filters: SavedFilter[] | undefined
  /** Id of the filter that the list shows. */
  current: string | undefined
  mayShare: boolean
  onChoose: (query: string) => void
  /** Undefined while the list is not filtered. */
  onSave: (() => void) | undefined
}

/** Lists the saved filters of the member and of the team. */
export function SavedFilterList({ filters, current, mayShare, onChoose, onSave }: Props) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const settled = { onSettled: () => client.invalidateQueries(trpc.library.filters.pathFilter()) }
  const onError = ({ message }: { message: string }) => notifications.show({ withBorder: true, color: 'red', message })
  const restore = useMutation(trpc.library.saveFilter.mutationOptions({ ...settled, onError }))
  const remove = useMutation(trpc.library.removeFilter.mutationOptions({ ...settled, onError }))
  const drop = ({ id, name, query, shared }: SavedFilter) =>
    remove.mutate(
      { filterId: id },
      { onSuccess: () => offerUndo(id, 'Deleted the filter', name, () => restore.mutate({ name, query, shared })) },
    )
  return (
    <>
      {!filters && <Skeleton height={68} />}
      {filters && filters.length > 0 && (
        <ul className={classes.list} aria-label="Saved filters">
          {filters.map((filter) => (
            <li key={filter.id}>
              <button type="button" className={classes.choice} aria-current={filter.id === current} onClick={() => onChoose(filter.query)}>
                <span className={classes.name}>{filter.name}</span>
                {filter.shared && <IconUsers size={14} aria-label="Shared with the team" />}
                {filter.id === current && <CheckIcon size={11} />}
              </button>
              {(!filter.shared || mayShare) && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete the filter ${filter.name}`}
                  disabled={remove.isPending}
                  onClick={() => drop(filter)}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              )}
            </li>
          ))}
        </ul>
      )}
      {filters?.length === 0 && (
        <Text size="sm" c="dimmed" px="xs" py={6}>
          No saved filters yet. Filter or sort the list, then save that view here.
        </Text>
      )}
      <div className={classes.save}>
        <Button
          variant="subtle"
          color="gray"
          fullWidth
          justify="flex-start"
          leftSection={<IconDeviceFloppy size={15} />}
          disabled={!onSave}
          onClick={onSave}
        >
          Save current filter…
        </Button>
      </div>
    </>
  )
}
