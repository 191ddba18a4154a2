'use client'

import { QueryClientProvider } from '@tanstack/react-query'
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, type TRPCClientErrorLike } from '@trpc/client'
import { createTRPCContext } from '@trpc/tanstack-react-query'
import { type ReactNode, useState } from 'react'
import superjson from 'superjson'
import type { AppRouter } from '#server/trpc/root'
import { makeQueryClient } from './query-client'

const context = createTRPCContext<AppRouter>()
export const useTRPC = context.useTRPC
export type TrpcError = TRPCClientErrorLike<AppRouter>

const url = '/api/trpc'

function makeClient() {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url, transformer: superjson }),
        false: httpBatchLink({ url, transformer: superjson, maxURLLength: 4_000 }),
      }),
    ],
  })
}

/** A session that ended while the page was open: sign in again and come back here. */
function whenSignedOut(error: unknown): void {
  if ((error as Partial<TrpcError>).data?.code !== 'UNAUTHENTICATED') return
  const { pathname, search } = window.location
  window.location.assign(`/sign-in?from=${encodeURIComponent(pathname + search)}`)
}

/** Server state for the pages below it. */
export function TrpcProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(() => makeQueryClient(whenSignedOut))
  const [client] = useState(makeClient)
  return (
    <QueryClientProvider client={queryClient}>
      <context.TRPCProvider trpcClient={client} queryClient={queryClient}>
        {children}
      </context.TRPCProvider>
    </QueryClientProvider>
  )
}
