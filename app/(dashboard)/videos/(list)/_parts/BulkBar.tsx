'use client'

import { Button, CloseButton } from '@mantine/core'
import {
  IconArrowBackUp,
  IconDownload,
  IconFolderMinus,
  IconFolderPlus,
  IconFolderSymlink,
  IconRefresh,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { type MouseEvent, useLayoutEffect } from 'react'
import type { BulkKind, StartBulkInput } from '#server/modules/dashboard/library/bulk-schema'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { writeListQuery } from '#server/modules/videos/address-schema'
import type { ListQuery } from '#server/modules/videos/list/list-schema'
import { useTRPC } from '../../../../_trpc/client'
import { download } from '../../../../_ui/download'
import { formatCount } from '../../../../_ui/format'
import { Notice } from '../../../../_ui/Notice'
import { useDialog } from '../../../../_ui/use-dialog'
import { useRoomBelow } from '../../../../_ui/use-room-below'
import classes from './BulkBar.module.css'
import type { Selection } from './use-selection'

const BulkDialog = dynamic(() => import('./BulkDialog').then((module) => module.BulkDialog), { ssr: false })

interface Props {
  query: ListQuery
  videos: readonly DashboardVideo[]
  selection: Selection
  /** Whether more videos match than are loaded. */
  hasMore: boolean
  mayChange: boolean
}

/** Acts on the selected videos, or on all that match. Rendered while there are some, at the end of the element that contains the list. */
export function BulkBar({ query, videos, selection, hasMore, mayChange }: Props) {
  const bar = useRoomBelow('--rg-bulk-bar', 20)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it appears
  useLayoutEffect(() => {
    if (bar.current && selection.ids.size === 1) uncover(bar.current)
  }, [])
  const trpc = useTRPC()
  const client = useQueryClient()
  const { sort: _, ...chosen } = query
  const matching = useQuery(trpc.library.count.queryOptions(chosen, { enabled: hasMore, staleTime: 10_000 })).data
  const [dialog, ask] = useDialog<BulkKind>()
  const start = useMutation(
    trpc.library.start.mutationOptions({
      onSuccess: () => {
        selection.clear()
        return client.invalidateQueries(trpc.library.bulk.pathFilter())
      },
    }),
  )

  const count = selection.all && matching ? matching.count : selection.ids.size
  const target: StartBulkInput['target'] = selection.all ? { selection: chosen, count } : { ids: [...selection.ids] }
  const open = (kind: BulkKind) => () => {
    start.reset()
    ask(kind)
  }
  const run = (kind: BulkKind, collectionId?: string) => {
    const fromId = kind === 'move' ? query.collection : undefined
    start.mutate({ kind, target, ...(collectionId && { collectionId }), ...(fromId && { fromId }) })
  }
  const save = async () => {
    if (selection.all) return window.location.assign(`/api/videos/csv?${writeListQuery(query)}`)
    const { CSV_HEADER, videosCsv } = await import('#server/modules/dashboard/library/csv-schema')
    download('videos.csv', CSV_HEADER + videosCsv(videos.filter(({ id }) => selection.ids.has(id))), 'text/csv')
  }
  const deleted = query.filter === 'DELETED'
  const button = (label: string, icon: React.ReactNode, onClick: () => void, color?: string) => (
    <Button size="xs" variant="default" leftSection={icon} onClick={onClick} c={color} loading={start.isPending && !dialog?.props.opened}>
      {label}
    </Button>
  )
  return (
    <section ref={bar} className={classes.bar} aria-label="Selected videos">
      {start.error && !dialog?.props.opened && <Notice tone="bad">{start.error.message}</Notice>}
      <div className={classes.line} onClickCapture={ignoreSecond}>
        <span className={classes.count} role="status">
          {selection.all ? `All ${formatCount(count)} selected` : `${formatCount(count)} selected`}
        </span>
        {hasMore && !selection.all && matching && matching.count > selection.ids.size && (
          <Button size="compact-xs" variant="subtle" onClick={selection.selectAll} disabled={matching.atLeast}>
            {matching.atLeast
              ? `More than ${formatCount(matching.count)} match. Narrow the filters.`
              : `Select all ${formatCount(matching.count)} that match`}
          </Button>
        )}
        <div className={classes.actions}>
          {mayChange && deleted && button('Restore', <IconArrowBackUp size={14} />, () => run('restore'))}
          {mayChange && !deleted && (
            <>
              {button('Add to collection…', <IconFolderPlus size={14} />, open('add'))}
              {query.collection && button('Move…', <IconFolderSymlink size={14} />, open('move'))}
              {query.collection && button('Remove', <IconFolderMinus size={14} />, () => run('take', query.collection))}
              {query.filter === 'FAILED' && button('Retry', <IconRefresh size={14} />, () => run('retry'))}
            </>
          )}
          {button('Export CSV', <IconDownload size={14} />, () => void save())}
          {mayChange && !deleted && button('Delete…', <IconTrash size={14} />, open('delete'), 'var(--mantine-color-error)')}
        </div>
        <CloseButton aria-label="Clear selection" onClick={selection.clear} />
      </div>
      {dialog && (
        <BulkDialog
          kind={dialog.subject}
          count={count}
          leaving={query.collection}
          {...dialog.props}
          onConfirm={(collectionId) => run(dialog.subject, collectionId)}
          busy={start.isPending}
          problem={start.error?.message}
        />
      )}
    </section>
  )
}

/** Scrolls the selected video clear of the bar, if the bar covers its box. Otherwise nothing moves under the pointer. */
function uncover(bar: HTMLElement): void {
  const video = bar.parentElement?.querySelector('[data-selected]')
  const box = video?.querySelector('input')
  if (box && box.getBoundingClientRect().bottom > bar.getBoundingClientRect().top) video?.scrollIntoView({ block: 'nearest' })
}

/** A double click on a box makes the bar appear under the second click. */
function ignoreSecond(event: MouseEvent): void {
  if (event.detail < 2) return
  event.preventDefault()
  event.stopPropagation()
}
