'use client'

import { Button, Stack, Title } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { OpenInvitation } from '#server/modules/identity/members/members'
import { ROLE_NAMES, ROLES } from '#server/permissions'
import { useTRPC } from '../../../../_trpc/client'
import { Panel } from '../../../../_ui/Panel'
import { PageHeader } from '../../../../_ui/page/PageHeader'
import { useDialog } from '../../../../_ui/use-dialog'
import { TeamTabs } from '../../_parts/TeamTabs'
import { Invitations } from './Invitations'
import { Members } from './Members'
import { RequireTotp } from './RequireTotp'
import classes from './Team.module.css'

const InviteDialog = dynamic(() => import('../../../_parts/team/InviteDialog').then((module) => module.InviteDialog), { ssr: false })

const ON_ITS_WAY = new Set<OpenInvitation['delivery']>(['sending', 'retrying'])

/** Shows the members, the invitations, and what each role may do. */
export function Team() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(
    trpc.team.list.queryOptions(undefined, {
      // An e-mail in delivery is polled until it has arrived or failed.
      refetchInterval: ({ state }) => (state.data?.invitations.some(({ delivery }) => ON_ITS_WAY.has(delivery)) ? 3_000 : false),
    }),
  )
  const [dialog, invite] = useDialog()

  return (
    <>
      <PageHeader
        title="Team"
        purpose="Manage members of this account and their roles."
        action={
          data.mayChange && (
            <Button leftSection={<IconUserPlus size={15} />} onClick={() => invite()}>
              Invite member
            </Button>
          )
        }
      />
      <TeamTabs here="/team" />
      <Stack gap="xl">
        <Members members={data.members} mayChange={data.mayChange} />
        {data.invitations.length > 0 && (
          <section>
            <Title order={2} mb="xs">
              Invitations
            </Title>
            <Invitations invitations={data.invitations} mayChange={data.mayChange} />
          </section>
        )}
        <Panel title="Two-factor sign-in">
          <RequireTotp team={data} />
        </Panel>
        <Panel title="Role permissions">
          <dl className={classes.roles}>
            {ROLE_NAMES.map((role) => (
              <div key={role}>
                <dt>{ROLES[role].title}</dt>
                <dd>{ROLES[role].says}</dd>
              </div>
            ))}
          </dl>
        </Panel>
      </Stack>
      {dialog && <InviteDialog key={dialog.times} {...dialog.props} />}
    </>
  )
}
