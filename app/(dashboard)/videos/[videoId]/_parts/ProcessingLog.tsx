'use client'

import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { refetchAfterNotice } from '../../../../_trpc/answers'
import { useTRPC } from '../../../../_trpc/client'
import { Panel } from '../../../../_ui/Panel'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import type { Tone } from '../../../../_ui/theme'
import classes from './ProcessingLog.module.css'

const TONES: Partial<Record<string, Tone>> = { complete: 'good', fail: 'bad', interrupt: 'warn' }

/** Lists the steps of a video's processing, in sentences. */
export function ProcessingLog({ video }: { video: DashboardDetail }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data, error } = useQuery(trpc.video.log.queryOptions({ videoId: video.id }))

  // New lines arrive with a new status.
  const status = `${video.status} ${video.startedAt?.getTime()}`
  const shown = useRef(status)
  useEffect(() => {
    if (shown.current !== status) refetchAfterNotice(client, trpc.video.log.queryFilter({ videoId: video.id }))
    shown.current = status
  }, [client, trpc, video.id, status])

  return (
    <Panel title="Processing log">
      {error && <p className={classes.none}>{error.message}</p>}
      {!data && !error && <Skeleton height={72} />}
      {data?.length === 0 && <p className={classes.none}>No entries yet.</p>}
      {data && data.length > 0 && (
        <ol className={classes.log}>
          {data.map(({ at, step, message }) => (
            <li key={`${at.getTime()} ${message}`} className={classes.line} data-tone={TONES[step] ?? 'neutral'}>
              <div className={classes.message}>{message}</div>
              <div className={classes.time}>
                <RelativeTime date={at} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}
