'use client'

import { ActionIcon, Anchor, Progress, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'
import { formatBytes, formatWait } from '../../../_ui/format'
import { Link } from '../../../_ui/Link'
import { useRoomBelow } from '../../../_ui/use-room-below'
import classes from './UploadsTray.module.css'
import { type UploadItem, useUploads } from './uploads'

/** Lists the uploads of this tab, in the corner of every page. */
export function UploadsTray() {
  const { items } = useUploads()
  const tray = useRoomBelow('--rg-uploads', 28)
  const sending = items.filter(({ state }) => state === 'sending').length
  const waiting = items.filter(({ state }) => state === 'waiting').length
  return (
    <section ref={tray} className={classes.tray} aria-label="Uploads">
      <div className={classes.head}>
        {sending > 0 ? `Uploading ${sending} ${sending === 1 ? 'video' : 'videos'}${waiting > 0 ? `, ${waiting} waiting` : ''}` : 'Uploads'}
        {sending > 0 && <span className={classes.hint}>Keep this tab open</span>}
      </div>
      <ul className={classes.list}>
        {items.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ul>
    </section>
  )
}

const DONE_STAYS_MS = 8_000

function Item({ item }: { item: UploadItem }) {
  const { pause, resume, cancel, dismiss } = useUploads()
  const { id, title, state, sent, bytes } = item
  useEffect(() => {
    if (state !== 'done') return
    const timer = setTimeout(() => dismiss(id), DONE_STAYS_MS)
    return () => clearTimeout(timer)
  }, [state, dismiss, id])

  return (
    <li className={classes.item}>
      <div className={classes.row}>
        {state === 'done' && <IconCircleCheck size={16} color="var(--rg-good-dot)" />}
        {(state === 'failed' || (state === 'paused' && item.problem)) && (
          <IconAlertTriangle size={16} color={state === 'failed' ? 'var(--rg-bad-dot)' : 'var(--rg-warn-dot)'} />
        )}
        <span className={classes.title}>
          {item.videoId ? (
            <Anchor component={Link} href={`/videos/${item.videoId}`} inherit>
              {title}
            </Anchor>
          ) : (
            title
          )}
        </span>
        {state === 'sending' && <Action label="Pause" icon={<IconPlayerPause size={14} />} onClick={() => pause(id)} />}
        {(state === 'paused' || (state === 'failed' && item.resumable)) && (
          <Action label="Resume" icon={<IconPlayerPlay size={14} />} onClick={() => resume(id)} />
        )}
        {state === 'done' ? (
          <Action label="Dismiss" icon={<IconX size={14} />} onClick={() => dismiss(id)} />
        ) : (
          <Action label={state === 'failed' ? 'Dismiss' : 'Cancel upload'} icon={<IconX size={14} />} onClick={() => cancel(id)} />
        )}
      </div>
      {state !== 'done' && (state !== 'failed' || item.resumable) && (
        <Progress
          value={bytes ? (sent / bytes) * 100 : 0}
          size={4}
          radius="xl"
          mt={8}
          color={state === 'failed' ? 'red' : state === 'sending' ? 'indigo' : 'gray'}
          aria-label={`Upload of ${title}`}
        />
      )}
      <div className={classes.said} role={item.problem ? 'alert' : undefined}>
        {wording(item)}
      </div>
    </li>
  )
}

function Action({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}

function wording({ state, sent, bytes, speed, secondsLeft, problem }: UploadItem): string {
  if (state === 'done') return 'Upload finished. The video is queued.'
  if (state === 'failed') return problem ?? 'Upload failed.'
  const share = `${formatBytes(sent)} of ${formatBytes(bytes)}`
  if (state === 'paused') return problem ? `${share}, paused. ${problem}` : `${share}, paused`
  if (state === 'waiting') return `${share}, waiting`
  if (sent >= bytes) return `${share}, checking the file`
  return [share, speed && `${formatBytes(speed)}/s`, secondsLeft !== undefined && `${formatWait(secondsLeft)} left`]
    .filter(Boolean)
    .join(', ')
}
