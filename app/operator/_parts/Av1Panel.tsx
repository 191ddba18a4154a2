import { Anchor } from '@mantine/core'
import type { InstallationDelivered } from '#server/modules/analytics/delivered/delivered-report'
import { savedShare } from '#server/modules/analytics/delivered/delivered-schema'
import type { InstallationWatchedEncodings } from '#server/modules/transcoding/watched-encodings'
import { FactList } from '../../_parts/staff/FactList'
import { formatBytes, formatCount, formatShare } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import classes from './Status.module.css'

interface Props {
  encodings: InstallationWatchedEncodings
  delivered: InstallationDelivered
}

/** Shows how many videos have AV1 or wait for AV1 or the slower preset, and how much was delivered. */
export function Av1Panel({ encodings: { av1, slower }, delivered }: Props) {
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
          ['Encode', ruleOf(av1.afterHours)],
          ['Videos in AV1', formatCount(av1.stored)],
          ['Waiting', formatCount(av1.due)],
          ['In progress', formatCount(av1.encoding)],
        ]}
      />
      <h3 className={classes.subtitle}>H.264 preset {slower.preset}</h3>
      <FactList
        facts={[
          ['Encode', ruleOf(slower.afterHours)],
          ['Waiting', formatCount(slower.due)],
        ]}
      />
      <h3 className={classes.subtitle}>Delivered in the last {delivered.days} days</h3>
      <FactList
        facts={[
          ['H.264', formatBytes(delivered.h264)],
          ['AV1', formatBytes(delivered.av1)],
          ['Audio', formatBytes(delivered.audio)],
          ['Saved by AV1', `${formatBytes(delivered.saved)} (${formatShare(savedShare(delivered))})`],
          ['Stored in AV1', formatBytes(delivered.storedAv1)],
        ]}
      />
    </Panel>
  )
}

function ruleOf(afterHours: number | null): string {
  if (afterHours === null) return 'Never'
  return afterHours === 0 ? 'Every video' : `After ${formatCount(afterHours)} ${afterHours === 1 ? 'hour' : 'hours'} of watch time`
}
