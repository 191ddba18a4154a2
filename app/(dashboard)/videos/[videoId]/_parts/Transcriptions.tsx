'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Transcription } from '#server/modules/transcoding/transcripts/transcript-schema'
import { formatShare } from '../../../../_parts/processing/strip'
import { useTRPC } from '../../../../_trpc/client'
import { formatWait } from '../../../../_ui/format'
import { RelativeTime } from '../../../../_ui/RelativeTime'
import classes from './Captions.module.css'

const REFETCH_MS = 3_000
/** While nothing is transcribed: a request of the API has no notice of its own. */
const IDLE_MS = 15_000

const isOpen = ({ endedAt }: Transcription) => endedAt === null

/** Shows the requests for captions from speech that are open, with their progress, and the last one if it gave no captions. */
export function Transcriptions({ videoId }: { videoId: string }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data } = useQuery(
    trpc.video.processing.queryOptions(
      { videoId },
      { refetchInterval: ({ state }) => (state.data?.transcriptions.some(isOpen) ? REFETCH_MS : IDLE_MS) },
    ),
  )
  const all = data?.transcriptions ?? []
  const ended = all.filter((one) => !isOpen(one)).length
  const known = useRef(ended)
  useEffect(() => {
    if (known.current !== ended) {
      void client.invalidateQueries(trpc.video.get.queryFilter({ videoId }))
      void client.invalidateQueries(trpc.video.log.queryFilter({ videoId }))
    }
    known.current = ended
  }, [client, trpc, videoId, ended])
  const shown = all.filter((one, at) => isOpen(one) || (at === 0 && one.state !== 'completed'))
  if (shown.length === 0) return null
  return (
    <ul className={classes.requests} aria-label="Generating captions">
      {shown.map((one) => (
        <li key={one.requested}>
          <div role="status">{titleOf(one)}</div>
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

const names = new Intl.DisplayNames(['en'], { type: 'language' })

function titleOf({ requested, state, progress, secondsLeft }: Transcription): string {
  const what = requested === 'auto' ? 'captions' : `${names.of(requested) ?? requested} captions`
  if (state === 'empty' || state === 'failed') return `No ${what} were generated.`
  const left = secondsLeft === null ? '' : `, about ${formatWait(secondsLeft)} left`
  if (state === 'waiting') return `Generating ${what}: waiting`
  return `Generating ${what}: ${formatShare(progress)}${left}`
}
