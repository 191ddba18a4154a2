'use client'

import { Button, CloseButton, Group, Progress } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useEffect, useRef, useState } from 'react'
import type { BulkState } from '#server/modules/dashboard/library/read-bulk'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount } from '../../../../_ui/format'
import { Notice } from '../../../../_ui/Notice'
import { useDialog } from '../../../../_ui/use-dialog'
import classes from './BulkBar.module.css'
import { bulkSentence } from './bulk-sentence'

const BulkProblems = dynamic(() => import('./BulkProblems').then((module) => module.BulkProblems), { ssr: false })

const REFETCH_MS = 1_000
/** An action that ended earlier is not shown on a page that is opened now. */
const RECENT_MS = 600_000

/** Shows the running bulk action of the account and its progress, then what it did, until it is dismissed. */
export function BulkStatus({ mayChange }: { mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data } = useQuery(
    trpc.library.bulk.queryOptions(undefined, {
      // Only while one runs.
      refetchInterval: ({ state }) => (state.data?.some(({ finishedAt }) => !finishedAt) ? REFETCH_MS : false),
    }),
  )
  const [dismissed, dismiss] = useState<string>()
  const [dialog, list] = useDialog<string>()
  const settled = { onSettled: () => client.invalidateQueries(trpc.library.bulk.pathFilter()) }
  const cancel = useMutation(trpc.library.cancel.mutationOptions(settled))
  const undo = useMutation(trpc.library.undo.mutationOptions(settled))
  const action = data?.[0]

  // Changes of videos arrive as notices; those of collections do not.
  const running = useRef<string>(undefined)
  useEffect(() => {
    if (action && !action.finishedAt) running.current = action.id
    else if (action && running.current === action.id) {
      running.current = undefined
      void client.invalidateQueries(trpc.video.pathFilter())
      void client.invalidateQueries(trpc.library.count.pathFilter())
    }
  }, [action, client, trpc])

  if (!action || dismissed === action.id || isOld(action)) return null
  const { id, total, done, skipped, failed, finishedAt } = action
  const problem = cancel.error ?? undo.error
  return (
    <section className={classes.status} aria-label="Bulk action">
      {problem && <Notice tone="bad">{problem.message}</Notice>}
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <div role="status">
          <span className={classes.name}>{bulkSentence(action)}</span>{' '}
          <span className={classes.facts}>
            {failed > 0 && `${formatCount(failed)} failed. `}
            {skipped > 0 && finishedAt && `${formatCount(skipped)} skipped. `}
            {action.stopped}
          </span>
        </div>
        <Group gap={6} wrap="nowrap">
          {finishedAt && failed + skipped > 0 && (
            <Button size="compact-sm" variant="default" onClick={() => list(id)}>
              Show
            </Button>
          )}
          {mayChange && action.undoable && (
            <Button size="compact-sm" variant="default" loading={undo.isPending} onClick={() => undo.mutate({ actionId: id })}>
              Undo
            </Button>
          )}
          {mayChange && !finishedAt && (
            <Button size="compact-sm" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({ actionId: id })}>
              Cancel
            </Button>
          )}
          {finishedAt && <CloseButton size="sm" aria-label="Dismiss" onClick={() => dismiss(id)} />}
        </Group>
      </Group>
      {!finishedAt && <Progress value={total > 0 ? ((done + skipped + failed) / total) * 100 : 0} aria-label="Progress" size="sm" />}
      {dialog && <BulkProblems actionId={dialog.subject} {...dialog.props} />}
    </section>
  )
}

const isOld = ({ finishedAt }: BulkState) => finishedAt !== null && finishedAt.getTime() < Date.now() - RECENT_MS
