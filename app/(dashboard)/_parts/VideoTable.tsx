'use client'

import { IconMovie } from '@tabler/icons-react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { formatBytes, formatDuration } from '../../_ui/format'
import { IdChip } from '../../_ui/IdChip'
import { Link } from '../../_ui/Link'
import { RelativeTime } from '../../_ui/RelativeTime'
import { type Column, Table } from '../../_ui/Table'
import { SpokenPlaces } from './SpokenPlaces'
import { VideoMenu } from './VideoMenu'
import { VideoProgress } from './VideoProgress'
import { VideoStatusBadge } from './VideoStatusBadge'
import classes from './VideoTable.module.css'
import { VideoTags } from './VideoTags'

const titleColumn = (dense: boolean): Column<DashboardVideo> => ({
  title: 'Title',
  phone: 'wide',
  cell: (video) => (
    <div className={classes.lead}>
      <span className={classes.picture} data-dense={dense || undefined}>
        {/* biome-ignore lint/performance/noImgElement: it is small already, and loads from the media's own address */}
        {video.posterUrl ? <img src={video.posterUrl} alt="" loading="lazy" /> : <IconMovie size={16} stroke={1.5} />}
      </span>
      <div className={classes.name}>
        <Link href={`/videos/${video.id}`} className={`${classes.title} rg-row-link`} title={video.title}>
          {video.title}
        </Link>
        <SpokenPlaces videoId={video.id} places={video.spoken} />
        {!dense && (
          <div className={classes.marks}>
            <IdChip id={video.id} />
            <VideoTags video={video} />
          </div>
        )}
      </div>
    </div>
  ),
})

const COLUMNS: Column<DashboardVideo>[] = [
  {
    title: 'Status',
    phone: 'bare',
    width: 230,
    cell: (video) =>
      video.status === 'PROCESSING' && !video.deletedAt && !video.takenDownAt ? (
        <div className={classes.progress}>
          <VideoStatusBadge status={video.status} />
          <VideoProgress progress={video.progress} etaSec={video.etaSec} />
        </div>
      ) : (
        <>
          <VideoStatusBadge status={video.status} deleted={video.deletedAt !== null} takenDown={video.takenDownAt !== null} />
          {video.takenDownAt && (
            <div className={classes.reason} title={video.takedownReason ?? undefined}>
              {video.takedownReason}
            </div>
          )}
          {video.status === 'FAILED' && !video.deletedAt && !video.takenDownAt && (
            <div className={classes.reason} title={video.failureReason ?? undefined}>
              {video.failureReason}
            </div>
          )}
        </>
      ),
  },
  {
    title: 'Quality',
    phone: 'hidden',
    cell: ({ status, qualities, targetQuality }) => {
      if (qualities.length > 0) return <Qualities qualities={qualities} />
      return status === 'FAILED' ? '–' : targetQuality
    },
  },
  { title: 'Duration', number: true, cell: ({ durationSec }) => (durationSec > 0 ? formatDuration(durationSec) : '–') },
  { title: 'Size', phone: 'hidden', number: true, cell: ({ sourceBytes }) => formatBytes(sourceBytes) },
  { title: 'Uploaded', cell: ({ createdAt }) => <RelativeTime date={createdAt} /> },
  { title: 'Actions', phone: 'corner', width: 48, cell: (video) => <VideoMenu video={video} /> },
]

function Qualities({ qualities }: { qualities: string[] }) {
  const more = qualities.length - 1
  return (
    <span title={qualities.join(', ')}>
      {qualities[0]}
      {more > 0 && <span className={classes.more}> + {more}</span>}
    </span>
  )
}

interface Props {
  videos: DashboardVideo[]
  /** The column that selects videos, and which are selected. */
  selecting?: { column: Column<DashboardVideo>; isSelected: (video: DashboardVideo) => boolean } | undefined
  /** Whether rows are low. */
  dense?: boolean
}

/** Lists videos as rows; cards on a phone. */
export function VideoTable({ videos, selecting, dense = false }: Props) {
  const columns = [...(selecting ? [selecting.column] : []), titleColumn(dense), ...COLUMNS]
  return (
    <Table
      label="Videos"
      columns={columns}
      rows={videos}
      keyOf={({ id }) => id}
      muted={({ deletedAt }) => deletedAt !== null}
      {...(selecting && { selected: selecting.isSelected })}
      dense={dense}
    />
  )
}
