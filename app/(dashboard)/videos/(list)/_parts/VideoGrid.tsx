'use client'

import { IconMovie } from '@tabler/icons-react'
import type { DashboardVideo } from '#server/modules/dashboard/video-row'
import { formatDuration } from '../../../../_ui/format'
import { Link } from '../../../../_ui/Link'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import { SpokenPlaces } from '../../../_parts/SpokenPlaces'
import { VideoMenu } from '../../../_parts/VideoMenu'
import { VideoProgress } from '../../../_parts/VideoProgress'
import { VideoStatusBadge } from '../../../_parts/VideoStatusBadge'
import { VideoTags } from '../../../_parts/VideoTags'
import { SelectBox } from './SelectBox'
import type { Selection } from './use-selection'
import classes from './VideoGrid.module.css'

interface Props {
  videos: readonly DashboardVideo[]
  selection: Selection | undefined
  dense: boolean
}

/** Lists videos as cards with their posters. */
export function VideoGrid({ videos, selection, dense }: Props) {
  return (
    <ul className={classes.grid} aria-label="Videos" data-dense={dense || undefined}>
      {videos.map((video) => (
        <li
          key={video.id}
          className={classes.card}
          data-selected={selection?.ids.has(video.id) || undefined}
          data-muted={video.deletedAt !== null || undefined}
        >
          <div className={classes.picture}>
            {/* biome-ignore lint/performance/noImgElement: it is small already, and loads from the media's own address */}
            {video.posterUrl ? <img src={video.posterUrl} alt="" loading="lazy" /> : <IconMovie size={28} stroke={1.3} />}
            {video.durationSec > 0 && <span className={classes.duration}>{formatDuration(video.durationSec)}</span>}
          </div>
          {selection && (
            <span className={classes.select}>
              <SelectBox
                label={`Select ${video.title}`}
                checked={selection.ids.has(video.id)}
                onToggle={(isRange) => selection.toggle(video.id, isRange)}
              />
            </span>
          )}
          <div className={classes.text}>
            <Link href={`/videos/${video.id}`} className={classes.title} title={video.title}>
              {video.title}
            </Link>
            <VideoMenu video={video} />
          </div>
          <div className={classes.facts}>
            <VideoStatusBadge status={video.status} deleted={video.deletedAt !== null} takenDown={video.takenDownAt !== null} />
            <RelativeTime date={video.createdAt} />
          </div>
          {video.status === 'PROCESSING' && !video.deletedAt && !video.takenDownAt && (
            <div className={classes.progress}>
              <VideoProgress progress={video.progress} etaSec={video.etaSec} />
            </div>
          )}
          {video.status === 'FAILED' && !video.deletedAt && !video.takenDownAt && (
            <p className={classes.reason} title={video.failureReason ?? undefined}>
              {video.failureReason}
            </p>
          )}
          <SpokenPlaces videoId={video.id} places={video.spoken} />
          {!dense && <VideoTags video={video} />}
        </li>
      ))}
    </ul>
  )
}
