import { Anchor } from '@mantine/core'
import { savedShare } from '#server/modules/analytics/delivered-schema'
import type { InstallationDelivered } from '#server/modules/analytics/installation-delivered'
import type { InstallationCodec, ViewerShare } from '#server/modules/codec-demand/state'
import { Dollars } from '../../_ui/Dollars'
import { formatBytes, formatCount, formatExactDollars, formatShare } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { FactList } from './FactList'
import classes from './Status.module.css'

const MODES: Record<InstallationCodec['mode'], string> = {
  never: 'Never',
  demand: 'By demand',
  always: 'Every video, the newest first',
}

/** Shows what is encoded in AV1, and what that saves in money. */
export function Av1Panel({ av1, delivered }: { av1: InstallationCodec; delivered: InstallationDelivered }) {
  const { mode, prices, viewerShare, hdrShare, bytesRatio, measuredVideos, videos, bytes, h264Bytes, waitingNet, settled } = av1
  return (
    <Panel
      title="AV1"
      action={
        <Anchor component={Link} href="/operator/guides/codecs" fz="sm">
          Guide
        </Anchor>
      }
    >
      <FactList
        facts={[
          { title: 'Mode', value: MODES[mode] },
          { title: 'Videos in AV1', value: formatCount(videos.stored) },
          { title: 'Stored', value: `${formatBytes(bytes)} in addition to ${formatBytes(h264Bytes)} in H.264` },
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
          { title: 'Removed', value: formatCount(videos.evicted) },
        ]}
      />
      <h3 className={classes.subtitle}>Delivered in {delivered.days} days</h3>
      <FactList
        facts={[
          { title: 'H.264', value: formatBytes(delivered.h264) },
          { title: 'AV1', value: formatBytes(delivered.av1) },
          { title: 'Sound', value: formatBytes(delivered.audio) },
          { title: 'Saved by AV1', value: `${formatBytes(delivered.saved)} (${formatShare(savedShare(delivered))})` },
          { title: 'Stored in AV1', value: formatBytes(delivered.storedAv1) },
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
      <h3 className={classes.subtitle}>What decides</h3>
      <FactList
        facts={[
          { title: 'Delivery', value: `${formatExactDollars(prices.deliveryPerGb)} per GB` },
          { title: 'Storage', value: `${formatExactDollars(prices.storagePerGbMonth)} per GB and month` },
          { title: 'Processor', value: `${formatExactDollars(prices.cpuHour)} per core and hour` },
          { title: 'Watch time with AV1', value: shareOf(viewerShare) },
          { title: 'Of that with HDR', value: shareOf(hdrShare) },
          {
            title: 'Bytes against H.264',
            value: `${formatShare(bytesRatio)}, ${measuredVideos > 0 ? `${formatCount(measuredVideos)} measured` : 'assumed'}`,
          },
        ]}
      />
    </Panel>
  )
}

/** Says what decides, and how much watch time it was measured in. */
const shareOf = ({ value, assumed, hours }: ViewerShare) =>
  hours > 0
    ? `${formatShare(value)}, measured in ${formatCount(Math.round(hours))} h (set: ${formatShare(assumed)})`
    : `${formatShare(value)}, as set`
