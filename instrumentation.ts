import { hasContainer } from '#server/platform/container'

/**
 * Builds the container of a process that `server/main.ts` did not start, such as `next start`. Next calls this once, before the first
 * request.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs' || hasContainer()) return
  const { buildContainer } = await import('#server/services')
  buildContainer()
}
