import { Anchor } from '@mantine/core'
import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { ROLES } from '#server/roles'
import { lookAtInvitation, refusalOf } from '#server/team/open-invitation'
import { invitationToken } from '#server/team/schema'
import { currentSession } from '../../../_auth'
import { Notice } from '../../../_ui/Notice'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { AuthCard } from '../../_parts/AuthCard'
import { AcceptButton } from './_parts/AcceptButton'
import { JoinForm } from './_parts/JoinForm'
import { OtherPerson } from './_parts/OtherPerson'

/** The address is a secret of who was invited: no other site is to learn it. */
export const metadata: Metadata = { title: 'Invitation', referrer: 'no-referrer' }

export default async function InvitationPage({ params }: { params: Promise<{ token: string }> }) {
  const token = invitationToken.safeParse((await params).token).data
  const invitation = token ? await lookAtInvitation(token) : undefined
  if (!token || invitation?.state !== 'open')
    return (
      <AuthCard
        title="No open invitation"
        purpose="There is nothing to accept here."
        other={
          <Anchor underline="always" href="/">
            Go to the dashboard
          </Anchor>
        }
      >
        <Notice tone="bad">{refusalOf(invitation)}</Notice>
      </AuthCard>
    )

  const { account, email, role, invitedBy, expiresAt } = invitation
  const session = await currentSession()
  const signedInAs = session?.ctx.actor.kind === 'user' ? session.ctx.actor.email : undefined
  const purpose: ReactNode = (
    <>
      {invitedBy} invites you as <b>{ROLES[role].title}</b>. {ROLES[role].says} The invitation expires <RelativeTime date={expiresAt} />.
    </>
  )
  return (
    <AuthCard title={`Join ${account}`} purpose={purpose} other={`This invitation is for ${email} alone.`}>
      {!signedInAs ? (
        <JoinForm token={token} email={email} />
      ) : signedInAs === email ? (
        <AcceptButton token={token} email={email} account={account} />
      ) : (
        <OtherPerson token={token} email={email} signedInAs={signedInAs} />
      )}
    </AuthCard>
  )
}
