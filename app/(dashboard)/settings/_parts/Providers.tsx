'use client'

import { Button, Modal } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SignInMethods } from '#server/modules/identity/sign-in/providers'
import type { ProviderId } from '#server/modules/identity/sign-in/schema'
import { ProofForm } from '../../../_parts/second-factor/ProofForm'
import { useTRPC } from '../../../_trpc/client'
import { Notice } from '../../../_ui/Notice'
import classes from './Sessions.module.css'

/** Lists the sign-in providers. Connecting requires the password first, since a new sign-in method would serve a thief as well. */
export function Providers({ providers, hasPassword }: { providers: SignInMethods['providers']; hasPassword: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [connecting, setConnecting] = useState<{ id: ProviderId; name: string }>()
  const begin = useMutation(trpc.user.beginLink.mutationOptions({ onSuccess: (_, { provider }) => leaveFor(provider) }))
  const unlink = useMutation(
    trpc.user.unlinkIdentity.mutationOptions({ onSuccess: () => client.invalidateQueries(trpc.user.security.pathFilter()) }),
  )

  return (
    <>
      {unlink.isError && (
        <div style={{ padding: '16px 16px 0' }}>
          <Notice tone="bad">{unlink.error.message}</Notice>
        </div>
      )}
      <ul className={classes.list}>
        {providers.map(({ id, name, connectedAs }) => (
          <li key={id} className={classes.row}>
            <div className={classes.what}>
              <div className={classes.device}>{name}</div>
              <div className={classes.where}>{connectedAs === null ? 'Not connected' : `Connected as ${connectedAs || 'you'}`}</div>
            </div>
            {connectedAs === null ? (
              <Button variant="default" size="xs" aria-label={`Connect ${name}`} onClick={() => setConnecting({ id, name })}>
                Connect
              </Button>
            ) : (
              <Button
                variant="default"
                size="xs"
                aria-label={`Disconnect ${name}`}
                loading={unlink.isPending && unlink.variables.provider === id}
                onClick={() => unlink.mutate({ provider: id })}
              >
                Disconnect
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Modal opened={connecting !== undefined} onClose={() => setConnecting(undefined)} title={`Connect ${connecting?.name ?? ''}`}>
        <ProofForm
          says="You sign in there and return to this page."
          hasPassword={hasPassword}
          submit="Continue"
          busy={begin.isPending || begin.isSuccess}
          error={begin.error}
          onProof={(password, options) => connecting && begin.mutate({ provider: connecting.id, password }, options)}
          onCancel={() => setConnecting(undefined)}
        />
      </Modal>
    </>
  )
}

async function leaveFor(provider: ProviderId): Promise<void> {
  const { csrfToken } = (await (await fetch('/api/auth/csrf')).json()) as { csrfToken: string }
  const body = new URLSearchParams({ csrfToken, json: 'true', callbackUrl: '/settings/security' })
  const { url } = (await (await fetch(`/api/auth/signin/${provider}`, { method: 'POST', body })).json()) as { url: string }
  window.location.assign(url)
}
