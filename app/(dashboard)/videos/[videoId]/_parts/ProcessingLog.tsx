'use client'

import { Skeleton, Text } from '@mantine/core'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { refetchAfterNotice } from '../../../../_trpc/answers'
import { useTRPC } from '../../../../_trpc/client'
import { Panel } from '../../../../_ui/Panel'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import type { Tone } from '../../../../_ui/theme'
import classes from './ProcessingLog.module.css'

const TONES: Partial<Record<string, Tone>> = { complete: 'good', fail: 'bad', interrupt: 'warn' }

/** Lists the steps of a video's processing. */
export function ProcessingLog({ videoId }: { videoId: string }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data: video } = useSuspenseQuery(trpc.video.get.queryOptions({ videoId }))
  // A new source of the video has no notices of its own.
  const { data, error } = useQuery(trpc.video.log.queryOptions({ videoId }, { refetchInterval: 15_000 }))

  // New lines arrive with a new status.
  const status = `${video.status} ${video.startedAt?.getTime()}`
  const shown = useRef(status)
  useEffect(() => {
    if (shown.current !== status) refetchAfterNotice(client, trpc.video.log.queryFilter({ videoId }))
    shown.current = status
  }, [client, trpc, videoId, status])

  return (
    <Panel title="Processing log">
      {!data && !error && <Skeleton height={72} />}
      {(error || data?.length === 0) && (
        <Text size="sm" c="dimmed">
          {error?.message ?? 'No entries yet.'}
        </Text>
      )}
      {data && data.length > 0 && (
        <ol className={classes.log}>
          {data.map(({ at, step, message }) => (
            <li key={`${at.getTime()} ${message}`} className={classes.line} data-tone={TONES[step] ?? 'neutral'}>
              <div className={classes.message}>{message}</div>
              <div className={classes.time}>
                <RelativeTime date={at} exact />
              </div>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
