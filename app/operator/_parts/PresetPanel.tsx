import { Anchor } from '@mantine/core'
import type { DemandMode, InstallationCodec } from '#server/modules/codec-demand/state'
import { Dollars } from '../../_ui/Dollars'
import { formatBytes, formatCount, formatShare } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { FactList } from './FactList'
import classes from './Status.module.css'

const MODES: Record<DemandMode, string> = {
  never: 'Never',
  demand: 'By demand',
  always: 'Every video, the newest first',
}

/** Shows which videos are encoded again with a slower preset of x264, and what that saves in money. */
export function PresetPanel({ h264 }: { h264: InstallationCodec }) {
  const { mode, preset, bytesRatio, measuredVideos, videos, bytes, h264Bytes, waitingNet, settled } = h264
  return (
    <Panel
      title="H.264 preset"
      action={
        <Anchor component={Link} href="/operator/guides/codecs" fz="sm">
          Guide
        </Anchor>
      }
    >
      <FactList
        facts={[
          { title: 'Mode', value: MODES[mode] },
          { title: 'Preset', value: preset },
          { title: 'Encoded again', value: `${formatCount(videos.stored)} videos` },
          { title: 'Stored', value: `${formatBytes(bytes)} in place of ${formatBytes(h264Bytes)}` },
          {
            title: 'Waiting',
            value:
              videos.waiting > 0 ? (
                <>
                  {formatCount(videos.waiting)}, to save <Dollars amount={waitingNet} /> in 30 days
                </>
              ) : (
                'None'
              ),
          },
          { title: 'In progress', value: formatCount(videos.encoding) },
          { title: 'Dropped', value: formatCount(videos.dropped) },
          {
            title: 'Bytes against veryfast',
            value: `${formatShare(bytesRatio)}, ${measuredVideos > 0 ? `${formatCount(measuredVideos)} measured` : 'assumed'}`,
          },
        ]}
      />
      <h3 className={classes.subtitle}>Saved after all costs, decisions that are 30 days old</h3>
      <FactList
        facts={
          settled.decisions > 0
            ? [
                { title: 'Decisions', value: formatCount(settled.decisions) },
                { title: 'Expected', value: <Dollars amount={settled.forecast} /> },
                { title: 'Saved', value: <Dollars amount={settled.real} />, isBad: settled.real < 0 },
              ]
            : [{ title: 'Decisions', value: 'None yet' }]
        }
      />
    </Panel>
  )
}
