import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { Fact } from '../../../../_ui/Fact'
import { formatBytes, formatDuration, formatWait } from '../../../../_ui/format'
import { IdChip } from '../../../../_ui/IdChip'
import { Panel } from '../../../../_ui/Panel'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import classes from './Facts.module.css'

/** Shows the other properties of a video. */
export function Facts({ video }: { video: DashboardDetail }) {
  const { startedAt, completedAt } = video
  const took = startedAt && completedAt ? (completedAt.getTime() - startedAt.getTime()) / 1000 : undefined
  return (
    <Panel title="Details">
      <dl className={classes.facts}>
        <Fact title="Video ID">
          <IdChip id={video.id} />
        </Fact>
        <Fact title="Uploaded">
          <RelativeTime date={video.createdAt} />
        </Fact>
        <Fact title="Completed">{completedAt ? <RelativeTime date={completedAt} /> : '–'}</Fact>
        <Fact title="Transcoding time">{took === undefined ? '–' : formatWait(took)}</Fact>
        <Fact title="Duration">{video.durationSec > 0 ? formatDuration(video.durationSec) : '–'}</Fact>
        <Fact title="Target quality">{video.targetQuality}</Fact>
        <Fact title="Encryption">{video.encrypted ? 'AES-128' : 'None'}</Fact>
        <Fact title="Original file">{video.sourceName}</Fact>
        <Fact title="Original size">{formatBytes(video.sourceBytes)}</Fact>
        {(video.downloads.allowed || video.downloads.count > 0) && (
          <Fact title="Downloads">{video.downloads.count.toLocaleString('en')}</Fact>
        )}
      </dl>
    </Panel>
  )
}
