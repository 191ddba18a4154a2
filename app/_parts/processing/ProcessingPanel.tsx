import { IconClock, IconLoader2 } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { ProcessingState } from '#server/modules/transcoding/tasks/processing-schema'
import { Fact } from '../../_ui/Fact'
import { formatCount, formatDuration } from '../../_ui/format'
import { RelativeTime } from '../../_ui/RelativeTime'
import { ChunkStrip } from './ChunkStrip'
import { DamageList } from './DamageList'
import classes from './ProcessingPanel.module.css'
import { formatShare, formatTimeLeft } from './strip'

type Shown = Omit<ProcessingState, 'videoId' | 'status' | 'failureReason' | 'playableSince'>

interface Props {
  state: Shown
  /** The name of the file, when the panel is about a new source of a video that stays as it is until then. */
  source?: string
  /** Whether that file is the present source, which is encoded again. */
  reencodes?: boolean
  /** What can be done now, such as a button that plays what is encoded. */
  action?: ReactNode
  /** Names a worker by its label; support staff see its machine. */
  nameOf?: (label: string) => string
}

/** Shows what happens to a video that is not complete: stage, time left, chunks, place in the queue, attempts, and what to do. */
export function ProcessingPanel({ state, source, reencodes = false, action, nameOf = (label) => label }: Props) {
  const { queue, chunks, audio, copy } = state
  const waits = queue !== null
  const running = [
    ...(copy ? [{ ...copy, title: `Copy, ${copy.quality}` }] : []),
    ...chunks.map((chunk) => ({ ...chunk, title: `${formatDuration(chunk.startSec)}–${formatDuration(chunk.endSec)}` })),
    ...audio.map((track) => ({ ...track, title: `Audio, ${track.name}` })),
  ].filter((one) => one.state === 'running')
  const lead = leadOf(state)
  const subject = reencodes ? 'Re-encoding' : 'New source'
  return (
    <section className={classes.panel} aria-label={source === undefined ? 'Processing' : subject}>
      <div className={classes.head}>
        <span className={classes.icon} data-waits={waits || undefined}>
          {waits ? <IconClock size={17} /> : <IconLoader2 size={17} className={classes.turning} />}
        </span>
        <div className={classes.text}>
          <div role="status">
            <h2 className={classes.title}>{source === undefined ? titleOf(state) : `${subject}: ${lowercase(titleOf(state))}`}</h2>
          </div>
          <div>{lead}</div>
        </div>
        {action}
      </div>
      {chunks.length > 0 && <ChunkStrip chunks={chunks} nameOf={nameOf} />}
      {audio.length > 0 && (
        <ul className={classes.tracks} aria-label="Audio tracks">
          {audio.map(({ position, name, state: is, progress }) => (
            <li key={position}>
              <span className={classes.track}>{name}</span>
              <span className={classes.bar} data-state={is}>
                <span style={{ width: `${progress * 100}%` }} />
              </span>
              <span className={classes.share}>{is === 'running' ? formatShare(progress) : SHORT[is]}</span>
            </li>
          ))}
        </ul>
      )}
      <dl className={classes.facts}>
        {source !== undefined && <Fact title="File">{source}</Fact>}
        {waits && queue.reason !== lead && <Fact title="Queue">{queue.reason}</Fact>}
        {queue?.nextTryAt && (
          <Fact title="Next attempt">
            <RelativeTime date={new Date(queue.nextTryAt)} />
          </Fact>
        )}
        {running.length > 0 && (
          <Fact title="Running">
            <ul className={classes.list}>
              {running.slice(0, SHOWN).map(({ title, worker, progress }) => (
                <li key={title}>
                  {title}, {formatShare(progress)}
                  {worker && <span className={classes.quiet}> · {nameOf(worker)}</span>}
                </li>
              ))}
              {running.length > SHOWN && <li className={classes.quiet}>and {formatCount(running.length - SHOWN)} more</li>}
            </ul>
          </Fact>
        )}
        {copy && (
          <Fact title="Copy">
            {copy.quality}, {copy.kept ? 'the video of the file, unchanged' : 'the video of the file, until it is encoded'}:{' '}
            {copy.state === 'running' ? formatShare(copy.progress) : SHORT[copy.state].toLowerCase()}
          </Fact>
        )}
        {state.pictureQuality && <Fact title="Quality">{describeQuality(state.pictureQuality)}</Fact>}
        {state.lastProgressAt && (
          <Fact title="Last progress">
            <RelativeTime date={new Date(state.lastProgressAt)} />
          </Fact>
        )}
        {state.tries.length > 0 && (
          <Fact title="Attempts">
            <ul className={classes.list}>
              {state.tries.slice(0, SHOWN).map((one) => (
                <li key={`${one.part} ${one.position} ${one.reason}`}>
                  {partOf(state, one)}: {timesOf(one)}. {one.reason}
                </li>
              ))}
              {state.tries.length > SHOWN && <li className={classes.quiet}>and {formatCount(state.tries.length - SHOWN)} more</li>}
            </ul>
          </Fact>
        )}
        {state.warnings.length > 0 && (
          <Fact title="Damage">
            <DamageList texts={state.warnings.map(({ text }) => text)} />
          </Fact>
        )}
        <Fact title="What to do">{state.action.text}</Fact>
      </dl>
    </section>
  )
}

function describeQuality({ target, isFound, renditions }: NonNullable<Shown['pictureQuality']>): string {
  const name =
    typeof target === 'string'
      ? target.charAt(0).toUpperCase() + target.slice(1)
      : `Target VMAF ${target.vmafMean}, 5th percentile ${target.vmafP5}`
  if (!isFound) return `${name}. Measuring samples to find the bitrate that reaches it.`
  const [highest] = renditions
  if (!highest) return name
  const vmaf = highest.vmafMean === null ? '' : `, VMAF ${highest.vmafMean.toFixed(1)}`
  return `${name}: ${highest.quality} at rate factor ${highest.rateFactor}${vmaf}`
}

const lowercase = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** Entries of a list that are shown. */
const SHOWN = 4
const SHORT = { waiting: 'Waiting', retrying: 'Retry', done: 'Done' } as const

function titleOf({ stage, queue, progress }: Shown): string {
  if (stage === 'analyzing') return 'Analyzing the file'
  if (stage === 'encoding') return `Encoding, ${formatShare(progress)}`
  if (stage === 'finishing') return 'Finishing'
  const position = queue?.position ?? null
  if (position === null) return 'Waiting'
  return position === 1 ? 'Next in the queue' : `Position ${formatCount(position)} in the queue`
}

function leadOf({ stage, queue, secondsLeft }: Shown): string {
  if (stage === 'queued' && queue) return queue.reason
  if (secondsLeft) return `${formatTimeLeft(secondsLeft)}.`
  if (stage === 'analyzing') return 'Reading length, tracks and keyframes.'
  return stage === 'finishing' ? 'Creating posters and seek previews.' : 'Estimating time remaining…'
}

type Attempt = Shown['tries'][number]

function partOf({ chunks, audio }: Shown, { part, position }: Attempt): string {
  if (part === 'video') return 'Analysis'
  if (part === 'finish') return 'Finishing'
  if (part === 'copy') return 'Video copy'
  if (part === 'audio') return `Audio, ${audio.find((track) => track.position === position)?.name ?? position}`
  const chunk = chunks.find((one) => one.position === position)
  return chunk ? `${formatDuration(chunk.startSec)}–${formatDuration(chunk.endSec)}` : `Chunk ${position}`
}

const times = (count: number) => (count === 1 ? 'once' : `${formatCount(count)} times`)

const timesOf = ({ failures, losses }: Attempt) =>
  [...(failures > 0 ? [`failed ${times(failures)}`] : []), ...(losses > 0 ? [`worker lost ${times(losses)}`] : [])].join(', ')
