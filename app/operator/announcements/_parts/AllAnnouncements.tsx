'use client'

import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconPlus, IconSpeakerphone } from '@tabler/icons-react'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { Announcement } from '#server/modules/backoffice/operator/announcements'
import { ANNOUNCEMENT_LEVELS } from '#server/modules/backoffice/operator/state'
import { useTRPC } from '../../../_trpc/client'
import { formatCount, formatMinute } from '../../../_ui/format'
import { EmptyState } from '../../../_ui/page/EmptyState'
import { PageHeader } from '../../../_ui/page/PageHeader'
import { StatusBadge } from '../../../_ui/StatusBadge'
import { type Column, Table } from '../../../_ui/Table'
import { useTimeZone } from '../../../_ui/time-zone'
import { useDialog } from '../../../_ui/use-dialog'
import classes from './Announcements.module.css'

const AnnounceDialog = dynamic(() => import('./AnnounceDialog').then((module) => module.AnnounceDialog), { ssr: false })

const STATES = {
  scheduled: { tone: 'info', text: 'Scheduled' },
  shown: { tone: 'good', text: 'Shown' },
  ended: { tone: 'neutral', text: 'Ended' },
} as const
const TONES = { info: 'info', warning: 'warn', critical: 'bad' } as const

/** Lists, adds and ends the messages that dashboards show. */
export function AllAnnouncements() {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [zone] = useTimeZone()
  const { data } = useSuspenseQuery(trpc.operator.listAnnouncements.queryOptions())
  const [dialog, open] = useDialog()
  const end = useMutation(
    trpc.operator.endAnnouncement.mutationOptions({
      onError: ({ message }) => notifications.show({ color: 'red', title: 'Could not end the announcement', message }),
      onSettled: () => client.invalidateQueries(trpc.operator.listAnnouncements.pathFilter()),
    }),
  )
  const columns: Column<Announcement>[] = [
    {
      title: 'Message',
      phone: 'wide',
      width: '46%',
      cell: ({ level, message }) => (
        <div className={classes.message}>
          <StatusBadge tone={TONES[level]}>{ANNOUNCEMENT_LEVELS[level].title}</StatusBadge>
          <span>{message}</span>
        </div>
      ),
    },
    { title: 'State', phone: 'end', cell: ({ state }) => <StatusBadge tone={STATES[state].tone}>{STATES[state].text}</StatusBadge> },
    { title: 'From', cell: ({ startsAt }) => formatMinute(startsAt, zone) },
    { title: 'Until', cell: ({ endsAt }) => (endsAt ? formatMinute(endsAt, zone) : 'Until you end it') },
    { title: 'Dismissed by', number: true, cell: ({ dismissals }) => formatCount(dismissals) },
    {
      title: 'Action',
      phone: 'corner',
      cell: ({ id, state }) =>
        state !== 'ended' && (
          <Button size="compact-sm" variant="default" onClick={() => end.mutate({ announcementId: id })} loading={end.isPending}>
            End
          </Button>
        ),
    },
  ]
  return (
    <>
      <PageHeader
        title="Announcements"
        purpose="Messages at the top of every dashboard. Users can dismiss them."
        action={
          <Button leftSection={<IconPlus size={15} />} onClick={() => open()}>
            New announcement
          </Button>
        }
      />
      {data.length === 0 ? (
        <EmptyState framed icon={<IconSpeakerphone size={20} />} title="No announcements yet">
          Tell all users about maintenance or an incident.
        </EmptyState>
      ) : (
        <Table label="Announcements" columns={columns} rows={data} keyOf={({ id }) => id} muted={({ state }) => state === 'ended'} />
      )}
      {dialog && <AnnounceDialog key={dialog.times} {...dialog.props} />}
    </>
  )
}
