'use client'

import { Anchor, Button, Center, Loader, Stack } from '@mantine/core'
import { useHash } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ProviderId } from '#server/modules/identity/sign-in/schema'
import { ROLES } from '#server/permissions'
import { useTRPC } from '../../../_trpc/client'
import { fieldErrors } from '../../../_ui/form/form-errors'
import { Notice } from '../../../_ui/Notice'
import { RelativeTime } from '../../../_ui/RelativeTime'
import { AuthCard } from '../../_parts/AuthCard'
import { ProviderButtons } from '../../_parts/ProviderButtons'
import { AcceptButton } from './AcceptButton'
import { JoinForm } from './JoinForm'
import { OtherPerson } from './OtherPerson'

/** The session storage key of the link's secret during the sign-in: no address that a server receives may contain it. */
const KEPT = 'reelgate-invitation'
const HERE = '/join'

interface Props {
  signedInAs: string | undefined
  providers: { id: ProviderId; name: string }[]
}

/** Shows an invitation: the user accepts it as a new user or as the signed-in one. */
export function JoinInvitation({ signedInAs, providers }: Props) {
  const trpc = useTRPC()
  const [hash] = useHash()
  const [token, setToken] = useState<string>()
  const look = useMutation(trpc.team.getInvitation.mutationOptions())
  const { mutate } = look
  const looked = useRef<string>(undefined)

  useEffect(() => {
    // The hook reads the fragment only after the first paint; this reads it at once.
    const given = (hash || window.location.hash).replace(/^#/, '')
    if (given) sessionStorage.setItem(KEPT, given)
    const kept = given || (sessionStorage.getItem(KEPT) ?? '')
    if (looked.current === kept) return
    looked.current = kept
    setToken(kept)
    mutate({ token: kept })
  }, [hash, mutate])

  if (look.error)
    return (
      <AuthCard
        title="You cannot use this invitation"
        purpose="Ask the person who invited you for a new one."
        other={<Anchor href="/">Go to the dashboard</Anchor>}
      >
        <Notice tone="bad">{fieldErrors(look.error)?.token ?? look.error.message}</Notice>
      </AuthCard>
    )
  if (!look.data || token === undefined)
    return (
      <AuthCard title="Your invitation" purpose="Loading the invitation.">
        <Center py="md">
          <Loader size="sm" role="status" aria-label="Loading the invitation" />
        </Center>
      </AuthCard>
    )

  const { account, email, role, invitedBy, expiresAt, closedToNew } = look.data
  const joined = () => {
    sessionStorage.removeItem(KEPT)
    window.location.assign('/')
  }
  const purpose = (
    <>
      {invitedBy} invited you to join as <b>{ROLES[role].title}</b>. {ROLES[role].says} The invitation expires{' '}
      <RelativeTime date={expiresAt} />.
    </>
  )
  return (
    <AuthCard title={`Join ${account}`} purpose={purpose} other={`This invitation is for ${email}.`}>
      {signedInAs === email ? (
        <AcceptButton token={token} email={email} account={account} onJoined={joined} />
      ) : signedInAs ? (
        <OtherPerson here={HERE} email={email} signedInAs={signedInAs} />
      ) : closedToNew === null ? (
        <JoinForm here={HERE} token={token} email={email} onJoined={joined} />
      ) : (
        <Stack gap="md">
          <Notice tone="info">
            {closedToNew} Sign in as {email} to accept.
          </Notice>
          <Button component="a" href={`/sign-in?from=${HERE}`} fullWidth>
            Sign in to accept
          </Button>
          <ProviderButtons providers={providers} from={HERE} />
        </Stack>
      )}
    </AuthCard>
  )
}
