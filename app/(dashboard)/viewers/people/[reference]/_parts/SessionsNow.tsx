'use client'

import { Text } from '@mantine/core'
import type { Person } from '#server/modules/dashboard/people/people'
import { formatCount } from '../../../../../_ui/format'
import { Link } from '../../../../../_ui/Link'
import { Panel } from '../../../../../_ui/Panel'
import { RelativeTime } from '../../../../../_ui/RelativeTime'
import { StatusBadge } from '../../../../../_ui/StatusBadge'
import { Table } from '../../../../../_ui/Table'
import classes from './PersonPage.module.css'

/** Lists the sessions that hold one of the person's places. */
export function SessionsNow({ sessions }: Pick<Person, 'sessions'>) {
  const badge = (
    <StatusBadge tone={sessions.length > 0 ? 'good' : 'neutral'} live={sessions.length > 0}>
      {formatCount(sessions.length)} {sessions.length === 1 ? 'session' : 'sessions'} now
    </StatusBadge>
  )
  return (
    <Panel title="Sessions" action={badge} flush={sessions.length > 0}>
      {sessions.length === 0 ? (
        <Text size="sm" c="dimmed">
          Not watching. A session counts until its player closes, or for 60 seconds after its last request.
        </Text>
      ) : (
        <Table
          label="Sessions"
          bare
          rows={sessions}
          keyOf={({ tokenId }) => tokenId}
          columns={[
            {
              title: 'Video',
              cell: ({ videoId, title }) => (
                <Link href={`/videos/${videoId}`} className={`${classes.link} rg-row-link`}>
                  {title}
                </Link>
              ),
              phone: 'title',
            },
            { title: 'Since', cell: ({ beganAt }) => <RelativeTime date={beganAt} /> },
            { title: 'Last active', cell: ({ lastSeenAt }) => <RelativeTime date={lastSeenAt} /> },
          ]}
        />
      )}
    </Panel>
  )
}
