import { Anchor } from '@mantine/core'
import type { InstallationStatus } from '#server/modules/backoffice/operator/installation-status'
import { formatCount, formatWait } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import { FactList } from './FactList'
import classes from './Status.module.css'

/** Shows what waits for a worker: videos, deliveries and jobs. */
export function QueuePanel({ queue: { videos, webhooks, jobs } }: { queue: InstallationStatus['queue'] }) {
  return (
    <Panel
      title="Queue"
      action={
        <Anchor component={Link} href="/support/fleet" fz="sm">
          Workers
        </Anchor>
      }
    >
      <FactList
        facts={[
          { title: 'Videos waiting', value: formatCount(videos.due) },
          { title: 'In progress', value: formatCount(videos.running) },
          { title: 'After a fault', value: formatCount(videos.delayed) },
          { title: 'Longest wait', value: videos.oldest > 0 ? formatWait(videos.oldest) : 'None' },
          { title: 'Deliveries pending', value: formatCount(webhooks.pending) },
          { title: 'Oldest due delivery', value: webhooks.oldest > 0 ? formatWait(webhooks.oldest) : 'None' },
        ]}
      />
      <h3 className={classes.subtitle}>Jobs that wait or failed in the last 24 hours</h3>
      {jobs.length === 0 ? (
        <span className={classes.quiet}>None.</span>
      ) : (
        <FactList
          facts={jobs.map(({ name, waiting, failed, lastError }) => ({
            title: name,
            value: [
              waiting > 0 && `${formatCount(waiting)} waiting`,
              failed > 0 && `${formatCount(failed)} failed${lastError === null ? '' : `: ${lastError}`}`,
            ]
              .filter(Boolean)
              .join(', '),
            isBad: failed > 0,
          }))}
        />
      )}
    </Panel>
  )
}
