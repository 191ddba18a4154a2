import { Anchor } from '@mantine/core'
import type { Overview } from '#server/modules/dashboard/overview'
import type { VideoStatus } from '#server/modules/videos/state'
import { formatCount } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import classes from './Overview.module.css'
import { VideoStatusBadge } from './VideoStatusBadge'

const ROWS: [VideoStatus, keyof Overview['videos']][] = [
  ['COMPLETED', 'completed'],
  ['PROCESSING', 'processing'],
  ['PENDING', 'pending'],
  ['FAILED', 'failed'],
]

/** Shows how many videos are in each state. */
export function VideoCounts({ videos }: Pick<Overview, 'videos'>) {
  return (
    <Panel
      title="Videos"
      action={
        <Anchor component={Link} href="/videos" size="sm">
          All videos
        </Anchor>
      }
    >
      <ul className={classes.rows}>
        {ROWS.map(([status, field]) => (
          <li key={status}>
            <Link href={`/videos?filter=${status}`} className={classes.count} data-none={videos[field] === 0 || undefined}>
              <VideoStatusBadge status={status} />
              <span>{formatCount(videos[field])}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
