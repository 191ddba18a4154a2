'use client'

import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { Notice } from '../../../_ui/Notice'
import { restartSignIn } from '../../_parts/session'

/** Shows that the invitation is for another user than the signed-in one, and how to continue. */
export function OtherPerson({ here, email, signedInAs }: { here: string; email: string; signedInAs: string }) {
  const [leaving, setLeaving] = useState(false)
  const leave = () => {
    setLeaving(true)
    void restartSignIn(here)
  }
  return (
    <Stack gap="md">
      <Notice tone="bad">
        You are signed in as <b>{signedInAs}</b>, but this invitation is for <b>{email}</b>. Sign in as {email}, or ask for an invitation to{' '}
        {signedInAs}.
      </Notice>
      <Button fullWidth loading={leaving} onClick={leave}>
        Sign out and sign in as {email}
      </Button>
      <Button fullWidth variant="default" component="a" href="/">
        Stay signed in
      </Button>
    </Stack>
  )
}
