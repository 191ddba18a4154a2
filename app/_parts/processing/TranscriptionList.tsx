import type { Transcription } from '#server/modules/transcoding/transcripts/transcript-schema'
import { formatWait } from '../../_ui/format'
import { languageName } from '../../_ui/language-name'
import { RelativeTime } from '../../_ui/RelativeTime'
import { formatShare } from './strip'
import classes from './TranscriptionList.module.css'

export const isOpen = ({ endedAt }: Transcription) => endedAt === null

/** Lists requests for captions from speech: how far each is, what it waits for, and why one gave no captions. */
export function TranscriptionList({ transcriptions }: { transcriptions: readonly Transcription[] }) {
  return (
    <ul className={classes.requests} aria-label="Generating captions">
      {transcriptions.map((one) => (
        <li key={one.requested}>
          <div role="status" data-state={one.state}>
            {titleOf(one)}
          </div>
          {isOpen(one) && (
            <span
              className={classes.bar}
              role="progressbar"
              aria-label="Transcribed"
              aria-valuenow={Math.round(one.progress * 100)}
              aria-valuemin={0}
              aria-valuemax={100}
            >
              <span style={{ width: `${one.progress * 100}%` }} />
            </span>
          )}
          {(one.state === 'running' || one.state === 'retrying') && <div className={classes.note}>{shareOf(one)}</div>}
          {one.reason && <div className={classes.note}>{one.reason}</div>}
          {one.action && <div className={classes.note}>{one.action}</div>}
          {one.nextTryAt && (
            <div className={classes.note}>
              Next attempt <RelativeTime date={new Date(one.nextTryAt)} />
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function titleOf({ requested, state }: Transcription): string {
  const what = requested === 'auto' ? 'captions' : `${languageName(requested)} captions`
  if (state === 'completed') return `Generated ${what}`
  if (state === 'empty') return `No ${what} generated`
  if (state === 'failed') return `Could not generate ${what}`
  return state === 'waiting' ? `Waiting to generate ${what}` : `Generating ${what}`
}

const shareOf = ({ progress, secondsLeft }: Transcription) =>
  `${formatShare(progress)}${secondsLeft === null ? '' : ` · about ${formatWait(secondsLeft)} left`}`
