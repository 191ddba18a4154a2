'use client'

import { QueryClientProvider } from '@tanstack/react-query'
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
  TRPCClientError,
  type TRPCClientErrorLike,
  type TRPCLink,
} from '@trpc/client'
import { observable } from '@trpc/server/observable'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import { type ReactNode, useState } from 'react'
import superjson from 'superjson'
import type { AppRouter } from '#server/trpc/root'
import { suspectConnection } from './connection'
import { showOtherAccount } from './other-account'
import { makeQueryClient } from './query-client'

const context = createTRPCContext<AppRouter>()
export const useTRPC = context.useTRPC
export type TrpcError = TRPCClientErrorLike<AppRouter>

const url = '/api/trpc'

const UNREACHABLE = 'The server sent no valid response. Check your connection and try again.'

/** Replaces the message of a failure that is no error of the service, such as a failed fetch, which users cannot act on. */
const describeFailures: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) =>
      next(op).subscribe({
        next: (value) => observer.next(value),
        complete: () => observer.complete(),
        error: (error) => observer.error(error.data ? error : TRPCClientError.from(new Error(UNREACHABLE, { cause: error }))),
      }),
    )

/** Queries whose input may name a person. It goes in the body: addresses are logged. */
const IN_BODY = new Set(['viewing.findPerson', 'search.find'])

/** What a page saves as it closes. Browsers finish such requests up to 64 KB in total. */
const FINISHED = new Set(['captions.saveDraft'])
const MOST_FINISHED = 60_000
const finish: typeof fetch = (input, init) => fetch(input, { ...init, keepalive: new Blob([String(init?.body)]).size < MOST_FINISHED })

/** `accountId` is the account that the pages show; the server refuses requests when the session is in another one. */
function makeClient(accountId: string | undefined) {
  const headers = accountId ? { 'x-reelgate-account': accountId } : {}
  return createTRPCClient<AppRouter>({
    links: [
      describeFailures,
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url, transformer: superjson }),
        false: splitLink({
          condition: ({ path }) => IN_BODY.has(path),
          true: httpLink({ url, headers, transformer: superjson, methodOverride: 'POST' }),
          false: splitLink({
            condition: ({ path }) => FINISHED.has(path),
            true: httpLink({ url, headers, transformer: superjson, fetch: finish as never }),
            false: httpBatchLink({ url, headers, transformer: superjson, maxURLLength: 4_000 }),
          }),
        }),
      }),
    ],
  })
}

/** Redirects to the page where a second factor is set up, if that is the reason a request or an event stream was refused. */
export function redirectToTotpSetup(details: unknown): void {
  const { reason } = (details ?? {}) as { reason?: string }
  if (reason === 'second-factor') window.location.assign('/two-factor')
}

/** Handles failures that concern the whole page, for any request. */
function whenFailed(error: unknown, keepsPage: boolean): void {
  const { data } = error as Partial<TrpcError>
  if (!data) return void suspectConnection()
  // The session ended while the page was open: the user signs in again and returns here.
  if (data.code === 'UNAUTHENTICATED' && !keepsPage) {
    const { pathname, search } = window.location
    window.location.assign(`/sign-in?from=${encodeURIComponent(pathname + search)}`)
  }
  const { reason } = (data.details ?? {}) as { reason?: string }
  if (reason === 'account') showOtherAccount()
  redirectToTotpSetup(data.details)
}

/** Provides server state to the pages below it, which show this account if one is given. */
export function TrpcProvider({ accountId, children }: { accountId?: string; children: ReactNode }) {
  const [queryClient] = useState(() => makeQueryClient(whenFailed))
  const [client] = useState(() => makeClient(accountId))
  return (
    <QueryClientProvider client={queryClient}>
      <context.TRPCProvider trpcClient={client} queryClient={queryClient}>
        {children}
      </context.TRPCProvider>
    </QueryClientProvider>
  )
}
