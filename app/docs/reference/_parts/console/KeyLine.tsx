'use client'

import { Alert, Button, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { fieldErrors } from '../../../../_ui/form-errors'
import classes from './Console.module.css'
import { revokeTemporaryKey, type TemporaryKey, temporaryKey } from './temporary-key'

interface Refusal {
  message: string
  data?: { code?: string; details?: unknown } | null
}

type State =
  | { kind: 'creating' | 'revoked' | 'signed-out' }
  | { kind: 'ready'; key: TemporaryKey }
  | { kind: 'refused' | 'asked'; message: string }

/** Creates the temporary key of a console, shows it, and revokes it on request. `onReady` says whether requests can be sent. */
export function KeyLine({ scope, onReady }: { scope: string; onReady: (isReady: boolean) => void }) {
  const [state, setState] = useState<State>({ kind: 'creating' })
  const [times, setTimes] = useState(0)
  const [code, setCode] = useState<string>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of `times` creates a key
  useEffect(() => {
    let isCurrent = true
    const show = (next: State) => {
      if (!isCurrent) return
      setState(next)
      onReady(next.kind === 'ready')
    }
    temporaryKey(scope, code).then(
      (key) => show({ kind: 'ready', key }),
      ({ message, data }: Refusal) => {
        if (data?.code === 'UNAUTHENTICATED') return show({ kind: 'signed-out' })
        show({ kind: fieldErrors({ message, data })?.code ? 'asked' : 'refused', message })
      },
    )
    return () => {
      isCurrent = false
    }
  }, [scope, times])

  const another = () => {
    setCode(undefined)
    setTimes(times + 1)
  }
  const answer = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setCode(String(new FormData(event.currentTarget).get('code')))
    setTimes(times + 1)
  }

  const revoke = () => {
    onReady(false)
    setState({ kind: 'revoked' })
    revokeTemporaryKey(scope).catch(({ message }: Refusal) => setState({ kind: 'refused', message }))
  }

  if (state.kind === 'signed-out')
    return (
      <Alert p="sm" title="Sign in to send requests">
        The console uses a temporary test key of your account.{' '}
        <a href={`/sign-in?from=${encodeURIComponent(window.location.pathname)}`}>Sign in</a>, and open it again.
      </Alert>
    )
  if (state.kind === 'asked')
    return (
      <form onSubmit={answer} className={classes.key}>
        <TextInput
          name="code"
          label="Authentication code or recovery code"
          description="Required to create the test key of the console."
          autoComplete="one-time-code"
          error={code === undefined ? undefined : state.message}
        />
        <Button type="submit" size="compact-sm" variant="default">
          Create key
        </Button>
      </form>
    )
  if (state.kind === 'refused')
    return (
      <Alert color="red" p="sm" title="No test key could be created">
        {state.message}
      </Alert>
    )
  return (
    <div className={classes.key}>
      <p role="status">
        {state.kind === 'creating' && 'Creating a temporary test key…'}
        {state.kind === 'revoked' && 'The test key is revoked.'}
        {state.kind === 'ready' && (
          <>
            Test key <code>{state.key.prefix}…</code> with <code>{scope}</code>, until{' '}
            {state.key.expiresAt.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit' })} or until you leave.
          </>
        )}
      </p>
      {state.kind === 'ready' && (
        <Button size="compact-sm" variant="default" onClick={revoke}>
          Revoke
        </Button>
      )}
      {state.kind === 'revoked' && (
        <Button size="compact-sm" variant="default" onClick={another}>
          Create another
        </Button>
      )}
    </div>
  )
}
