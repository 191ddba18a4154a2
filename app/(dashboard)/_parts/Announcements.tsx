'use client'

import { CloseButton } from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle, IconUrgent } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { ShownAnnouncement } from '#server/modules/backoffice/operator/announcements'
import { ANNOUNCEMENT_LEVELS } from '#server/modules/backoffice/operator/state'
import { useTRPC } from '../../_trpc/client'
import classes from './Announcements.module.css'

const ICONS = { info: IconInfoCircle, warning: IconAlertTriangle, critical: IconUrgent }

/** Shows messages of the operator above the page, until the user dismisses them. */
export function Announcements({ announcements, mayDismiss }: { announcements: ShownAnnouncement[]; mayDismiss: boolean }) {
  const trpc = useTRPC()
  const [dismissed, setDismissed] = useState<string[]>([])
  const { mutate } = useMutation(trpc.account.dismissAnnouncement.mutationOptions())
  const dismiss = (announcementId: string) => {
    setDismissed((all) => [...all, announcementId])
    mutate({ announcementId })
  }
  return announcements
    .filter(({ id }) => !dismissed.includes(id))
    .map(({ id, level, message }) => {
      const Icon = ICONS[level]
      return (
        <section
          key={id}
          className={classes.announcement}
          data-level={level}
          aria-label={`Announcement: ${ANNOUNCEMENT_LEVELS[level].title}`}
        >
          <Icon size={17} />
          <div className={classes.message}>{message}</div>
          {mayDismiss && <CloseButton size="sm" c="inherit" aria-label="Dismiss announcement" onClick={() => dismiss(id)} />}
        </section>
      )
    })
}
