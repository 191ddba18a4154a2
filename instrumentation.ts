import type { Instrumentation } from 'next'
import { hasContainer } from '#server/platform/container'
import { readDigest } from './app/_ui/page/page-digest'

/**
 * Builds the container of a process that `server/main.ts` did not start, such as `next start`. Next calls this once, before the first
 * request.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs' || hasContainer()) return
  const { buildContainer } = await import('#server/services')
  buildContainer()
}

/**
 * Logs the error of a page or a route that Next could not render, under the id that the page shows. The address may carry a secret, so only
 * the route is logged.
 */
export const onRequestError: Instrumentation.onRequestError = async (error, _request, { routePath, routeType }) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { log } = await import('#server/platform/observe/log')
  const { requestId } = readDigest((error as { digest?: string } | undefined)?.digest)
  log().error({ err: error, requestId, route: routePath, kind: routeType }, 'a page could not be rendered')
}
