import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconMovie, IconPlayerPause, IconPlayerPlay, IconRotateClockwise } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { plainLines } from '#server/platform/speech/cue-files'
import { type Command, labelOf } from '../../../../../../_parts/captions/shortcuts'
import { useTRPC } from '../../../../../../_trpc/client'
import { formatDuration } from '../../../../../../_ui/format'
import { Notice } from '../../../../../../_ui/Notice'
import type { Cue } from './cue-document'
import classes from './PlayerPane.module.css'
import type { PlayerLink } from './player-link'

interface Props {
  video: DashboardDetail
  player: PlayerLink
  /** The caption at the playhead. */
  current: Cue | undefined
  language: string
  isApple: boolean
  onCommand: (command: Command) => void
}

/** Plays the video with the captions as they are edited. The player's own captions are off, because they are the published ones. */
export function PlayerPane({ video, player, current, language, isApple, onCommand }: Props) {
  const trpc = useTRPC()
  const paused = useSyncExternalStore(player.subscribe, () => player.snapshot().paused)
  const isPlayable = video.status === 'COMPLETED' || (video.status === 'PROCESSING' && video.playableAt !== null)
  const { data, error } = useQuery(
    trpc.viewing.preview.queryOptions({ videoId: video.id }, { enabled: isPlayable, staleTime: Number.POSITIVE_INFINITY, gcTime: 0 }),
  )
  const [shape] = video.renditions
  return (
    <div className={classes.pane}>
      <div className={classes.frame} style={{ aspectRatio: shape ? `${shape.width} / ${shape.height}` : undefined }}>
        {!isPlayable && (
          <div className={classes.empty}>
            <IconMovie size={24} stroke={1.5} />
            The video plays here once it is processed.
          </div>
        )}
        {data && (
          <iframe
            ref={player.attach}
            src={`${data.playerUrl}&captions=none`}
            title="Video"
            allow="autoplay; fullscreen; picture-in-picture; encrypted-media"
            allowFullScreen
          />
        )}
        {current && (
          <p className={classes.caption} lang={language} dir="auto" aria-hidden="true">
            <span>{plainLines(current.vtt).join('\n')}</span>
          </p>
        )}
      </div>
      {error && <Notice tone="bad">{error.message}</Notice>}
      <div className={classes.transport}>
        <Tooltip label={labelOf('back', isApple)}>
          <Button variant="default" px="sm" onClick={() => onCommand('back')}>
            Back 2 s
          </Button>
        </Tooltip>
        <Tooltip label={labelOf('play', isApple)}>
          <Button
            variant="default"
            className={classes.play}
            leftSection={paused ? <IconPlayerPlay size={15} /> : <IconPlayerPause size={15} />}
            onClick={() => onCommand('play')}
          >
            {paused ? 'Play' : 'Pause'}
          </Button>
        </Tooltip>
        <Tooltip label={labelOf('replay', isApple)}>
          <ActionIcon variant="default" size={36} aria-label="Play the caption again" onClick={() => onCommand('replay')}>
            <IconRotateClockwise size={17} />
          </ActionIcon>
        </Tooltip>
        <Clock player={player} durationSec={video.durationSec} />
      </div>
    </div>
  )
}

/** Shows the time, without drawing the rest again four times a second. */
function Clock({ player, durationSec }: { player: PlayerLink; durationSec: number }) {
  const { currentTime, duration } = useSyncExternalStore(player.subscribe, player.snapshot)
  return (
    <span className={classes.clock}>
      {formatDuration(Math.floor(currentTime))}.{Math.floor((currentTime % 1) * 10)}{' '}
      <span>/ {formatDuration(duration || durationSec)}</span>
    </span>
  )
}
