import { Anchor } from '@mantine/core'
import type { InstallationStatus } from '#server/modules/backoffice/operator/installation-status'
import { FactList } from '../../_parts/staff/FactList'
import { formatCount, formatWait } from '../../_ui/format'
import { Link } from '../../_ui/Link'
import { Panel } from '../../_ui/Panel'
import classes from './Status.module.css'

const ENGINES = { whisper: 'Whisper, on the workers', http: 'The server at SPEECH_URL', pocketsphinx: 'PocketSphinx, on the workers' }

/** Shows the videos, webhook deliveries, captions and jobs that wait for a worker. */
export function QueuePanel({ queue: { videos, webhooks, jobs, speech, transcripts } }: { queue: InstallationStatus['queue'] }) {
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
          ['Videos waiting', formatCount(videos.due)],
          ['In progress', formatCount(videos.running)],
          ['Waiting to retry', formatCount(videos.delayed)],
          ['Longest wait', videos.oldest > 0 ? formatWait(videos.oldest) : 'None'],
          ['Pending webhooks', formatCount(webhooks.pending)],
          ['Oldest due webhook', webhooks.oldest > 0 ? formatWait(webhooks.oldest) : 'None'],
        ]}
      />
      <h3 className={classes.subtitle}>Captions from speech</h3>
      {'off' in speech ? (
        <span className={classes.quiet}>{speech.off}</span>
      ) : (
        <FactList
          facts={[
            ['Engine', transcripts.fault ?? ENGINES[speech.engine], transcripts.fault !== null],
            ['Requests waiting', formatCount(transcripts.due)],
            ['In progress', formatCount(transcripts.running)],
            ['Waiting to retry', formatCount(transcripts.delayed)],
            ['Oldest request', transcripts.oldest > 0 ? formatWait(transcripts.oldest) : 'None'],
          ]}
        />
      )}
      <h3 className={classes.subtitle}>Jobs waiting, or failed in the last 24 hours</h3>
      {jobs.length === 0 ? (
        <span className={classes.quiet}>None</span>
      ) : (
        <FactList
          facts={jobs.map(({ name, waiting, failed, lastError }) => {
            const failures = failed > 0 && `${formatCount(failed)} failed${lastError === null ? '' : `: ${lastError}`}`
            return [name, [waiting > 0 && `${formatCount(waiting)} waiting`, failures].filter(Boolean).join(', '), failed > 0]
          })}
        />
      )}
    </Panel>
  )
}
