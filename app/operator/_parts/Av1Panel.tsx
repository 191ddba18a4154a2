import { Anchor } from '@mantine/core'
import type { InstallationDelivered } from '#server/modules/analytics/delivered/delivered-report'
import { savedShare } from '#server/modules/analytics/delivered/delivered-schema'
import type { InstallationWatchedEncodings } from '#server/modules/transcoding/watched-encodings'
import { formatBytes, formatCount, formatShare } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { FactList } from './FactList'
import classes from './Status.module.css'

interface Props {
  encodings: InstallationWatchedEncodings
  delivered: InstallationDelivered
}

/** Shows how many videos have AV1 or wait for it or for the slower preset, and what was delivered. */
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
          { title: 'Encoded', value: ruleOf(av1.afterHours) },
          { title: 'Videos in AV1', value: formatCount(av1.stored) },
          { title: 'Waiting', value: formatCount(av1.due) },
          { title: 'In progress', value: formatCount(av1.encoding) },
        ]}
      />
      <h3 className={classes.subtitle}>H.264 preset {slower.preset}</h3>
      <FactList
        facts={[
          { title: 'Encoded', value: ruleOf(slower.afterHours) },
          { title: 'Waiting', value: formatCount(slower.due) },
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
    </Panel>
  )
}

function ruleOf(afterHours: number | null): string {
  if (afterHours === null) return 'Never'
  return afterHours === 0 ? 'Every video' : `After ${formatCount(afterHours)} watched ${afterHours === 1 ? 'hour' : 'hours'}`
}
