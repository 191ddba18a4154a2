import { dehydrate, type FetchInfiniteQueryOptions, type FetchQueryOptions, HydrationBoundary, type QueryKey } from '@tanstack/react-query'
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query'
import { headers } from 'next/headers'
import { notFound } from 'next/navigation'
import { type ComponentType, cache, type ReactNode } from 'react'
import { type ErrorCode, isServiceError } from '#server/errors'
import { contextFrom } from '#server/trpc/context'
import { appRouter } from '#server/trpc/root'
import { pageDigest } from '../_ui/page/page-digest'
import type { TrpcError } from './client'
import { makeQueryClient } from './query-client'

const queryClient = cache(() => makeQueryClient())
const context = cache(async () => contextFrom(await headers()))

/** The dashboard's procedures, called in this process without an HTTP request. */
export const trpc = createTRPCOptionsProxy({ ctx: context, router: appRouter, queryClient })

/**
 * Loads a query for this page. A query that finds nothing or rejects its input makes the page a 404; other errors keep their request id as
 * digest.
 */
export const load = <Data, Key extends QueryKey>(options: FetchQueryOptions<Data, TrpcError, Data, Key>): Promise<Data> =>
  orPageError(queryClient().fetchQuery({ ...options, retry: false }))

/** Loads the first page of a list, with the same errors as `load`. */
export const loadPages = <Data, Key extends QueryKey, Cursor>(
  options: FetchInfiniteQueryOptions<Data, TrpcError, Data, Key, Cursor>,
): Promise<unknown> => orPageError(queryClient().fetchInfiniteQuery({ ...options, retry: false }))

const NO_SUCH_PAGE = new Set<ErrorCode>(['VIDEO_NOT_FOUND', 'VIEWER_NOT_FOUND', 'NOT_FOUND', 'INVALID_REQUEST'])

async function orPageError<Data>(loading: Promise<Data>): Promise<Data> {
  try {
    return await loading
  } catch (error) {
    const cause = (error as Error).cause
    if (isServiceError(cause) && NO_SUCH_PAGE.has(cause.code)) notFound()
    const { requestId } = await context()
    const isWait = isServiceError(cause) && cause.code === 'SERVICE_UNAVAILABLE'
    throw Object.assign(error as Error, { digest: pageDigest(requestId, isWait) })
  }
}

/** Passes the loaded data to the browser for its first paint. */
export function Hydrate({ children }: { children: ReactNode }) {
  return <HydrationBoundary state={dehydrate(queryClient())}>{children}</HydrationBoundary>
}

/** Returns a page that loads data by its parameters for a component, which takes the same parameters. */
export const pageOf = <Params extends object>(loadFor: (params: Params) => Promise<unknown>, Component: ComponentType<Params>) =>
  async function Page({ params }: { params: Promise<Params> }) {
    const asked = await params
    await loadFor(asked)
    return (
      <Hydrate>
        <Component {...asked} />
      </Hydrate>
    )
  }
