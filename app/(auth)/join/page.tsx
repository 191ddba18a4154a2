import type { Metadata } from 'next'
import { providerNames } from '#server/modules/identity/sign-in/providers'
import { currentSession } from '../../_auth'
import { JoinInvitation } from './_parts/JoinInvitation'

export const metadata: Metadata = { title: 'Invitation', referrer: 'no-referrer' }

/** The link's secret follows the #, which browsers do not send: the page itself requests the invitation. */
export default async function JoinPage() {
  const { ctx } = (await currentSession()) ?? {}
  return <JoinInvitation signedInAs={ctx?.actor.kind === 'user' ? ctx.actor.email : undefined} providers={providerNames()} />
}
