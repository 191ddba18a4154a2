'use client'

import { Badge, Button } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile, IconTerminal2 } from '@tabler/icons-react'
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import { Panel } from '../../../_ui/Panel'
import { RelativeTime } from '../../../_ui/RelativeTime'
import classes from './Sessions.module.css'

const ICONS = { computer: IconDeviceDesktop, phone: IconDeviceMobile, program: IconTerminal2 }

/** Lists the user's sessions, each with a button that ends it. */
export function Sessions() {
  const trpc = useTRPC()
  const client = useQueryClient()
  const { data } = useSuspenseQuery(trpc.user.sessions.queryOptions())
  const onSuccess = () => client.invalidateQueries(trpc.user.sessions.pathFilter())
  const end = useMutation(trpc.user.endSession.mutationOptions({ onSuccess }))
  const endOthers = useMutation(trpc.user.endOtherSessions.mutationOptions({ onSuccess }))
  const problem = end.error ?? endOthers.error
  const others = data.some(({ here }) => !here) && (
    <Button variant="default" size="xs" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
      Sign out all other sessions
    </Button>
  )

  return (
    <Panel title="Active sessions" action={others} flush>
      {problem && (
        <div style={{ padding: '16px 16px 0' }}>
          <Notice tone="bad">{problem.message}</Notice>
        </div>
      )}
      <ul className={classes.list}>
        {data.map(({ id, device, kind, address, lastSeenAt, here }) => {
          const Icon = ICONS[kind]
          return (
            <li key={id} className={classes.row}>
              <Icon size={20} stroke={1.6} className={classes.icon} />
              <div className={classes.what}>
                <div className={classes.device}>
                  {device}
                  {here && (
                    <Badge size="sm" variant="light" tt="none">
                      Current session
                    </Badge>
                  )}
                </div>
                <div className={classes.where}>
                  {address} · last seen <RelativeTime date={lastSeenAt} />
                </div>
              </div>
              {!here && (
                <Button
                  variant="subtle"
                  size="xs"
                  aria-label={`Sign out ${device}`}
                  loading={end.isPending && end.variables.sessionId === id}
                  onClick={() => end.mutate({ sessionId: id })}
                >
                  Sign out
                </Button>
              )}
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}
