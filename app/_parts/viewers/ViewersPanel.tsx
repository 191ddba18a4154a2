'use client'

import type { ReactNode } from 'react'
import type { VideoViewers, ViewerSession } from '#server/modules/delivery/sessions/viewers'
import { formatCount } from '../../_ui/format'
import { IdChip } from '../../_ui/IdChip'
import { Panel } from '../../_ui/Panel'
import { RelativeTime } from '../../_ui/RelativeTime'
import { StatusBadge } from '../../_ui/StatusBadge'
import { type Column, Table } from '../../_ui/Table'
import classes from './ViewersPanel.module.css'

interface Props {
  state: VideoViewers
  /** A button for all sessions. */
  action?: ReactNode
  /** A button for one session. */
  actionOf?: (session: ViewerSession) => ReactNode
}

const playerOf = ({ reports, quality }: ViewerSession) => (reports ? `Embed player${quality ? `, ${quality}` : ''}` : 'Other player')

const COLUMNS: Column<ViewerSession>[] = [
  { title: 'Session', cell: ({ tokenId }) => <IdChip id={tokenId} /> },
  { title: 'Player', phone: 'bare', cell: playerOf },
  { title: 'Started', cell: ({ beganAt }) => <RelativeTime date={beganAt} /> },
  { title: 'Last active', cell: ({ seenAt }) => <RelativeTime date={seenAt} /> },
]

/** Shows how many sessions watch a video now, and those that were active in the last 15 minutes. */
export function ViewersPanel({ state: { viewers, total, sessions }, action, actionOf }: Props) {
  const columns: Column<ViewerSession>[] = actionOf ? [...COLUMNS, { title: 'Actions', phone: 'corner', cell: actionOf }] : COLUMNS
  const watching = (
    <StatusBadge tone={viewers > 0 ? 'good' : 'neutral'} live={viewers > 0}>
      {formatCount(viewers)} watching now
    </StatusBadge>
  )
  return (
    <Panel
      title="Viewers"
      action={
        <div className={classes.head}>
          {watching}
          {total > 0 && action}
        </div>
      }
      flush
    >
      {sessions.length > 0 && (
        <div className={classes.list}>
          <Table label="Playback sessions" columns={columns} rows={sessions} keyOf={({ id }) => id} muted={({ isLive }) => !isLive} />
        </div>
      )}
      <p className={classes.note}>
        {total === 0 && 'No playback sessions in the last 15 minutes. '}
        {total > sessions.length && `Showing the ${sessions.length} most recently active of ${formatCount(total)} sessions. `}
        Counts sessions that were active in the last minute. Only the embed player reports viewing; other players count only while they load
        playlists and keys.
      </p>
    </Panel>
  )
}
