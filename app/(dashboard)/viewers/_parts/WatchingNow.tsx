'use client'

import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { formatCount } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { Panel } from '../../../_ui/Panel'
import { ErrorState } from '../../../_ui/page/ErrorState'
import { StatusBadge } from '../../../_ui/StatusBadge'
import classes from './Viewers.module.css'

/** The interval at which processes write the activity of sessions. */
const REFETCH_MS = 10_000

/** Shows how many sessions are watching now, and which videos. */
export function WatchingNow() {
  const trpc = useTRPC()
  const { data, error, refetch } = useQuery(trpc.viewing.live.queryOptions(undefined, { refetchInterval: REFETCH_MS }))
  if (error && !data) return <ErrorState message={error.message} requestId={error.data?.requestId} onRetry={() => void refetch()} />
  const { viewers = 0, videos = [] } = data ?? {}
  const badge = (
    <StatusBadge tone={viewers > 0 ? 'good' : 'neutral'} live={viewers > 0}>
      {formatCount(viewers)} watching now
    </StatusBadge>
  )
  return (
    <Panel title="Live" action={badge}>
      {videos.length === 0 ? (
        <Text size="sm" c="dimmed">
          No playback session was active in the last minute.
        </Text>
      ) : (
        <ul className={classes.now}>
          {videos.map(({ videoId, title, viewers: count }) => (
            <li key={videoId}>
              <Anchor component={Link} href={`/videos/${videoId}`} inherit>
                {title}
              </Anchor>
              <span className={classes.count}>{formatCount(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
