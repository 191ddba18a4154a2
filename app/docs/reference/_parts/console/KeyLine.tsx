'use client'

import { Alert, Button } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'
import { fieldErrors } from '../../../../_ui/form/form-errors'
import classes from './Console.module.css'
import { revokeTemporaryKey, type TemporaryKey, temporaryKey } from './temporary-key'

/** Loaded for members who have a second factor. */
const AskCode = lazy(() => import('./AskCode').then((module) => ({ default: module.AskCode })))

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
  const answer = (given: string) => {
    setCode(given)
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
        The console sends requests with a temporary test key of your account.{' '}
        <a href={`/sign-in?from=${encodeURIComponent(window.location.pathname)}`}>Sign in</a>, then open the console again.
      </Alert>
    )
  if (state.kind === 'asked')
    return (
      <Suspense>
        <AskCode problem={code === undefined ? undefined : state.message} onCode={answer} />
      </Suspense>
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
