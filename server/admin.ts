import { startAdminServer } from './http/admin-server.ts'
import { gatheredMetrics, reportMetrics } from './http/gathered-metrics.ts'
import { declareDraining, declareStarting } from './http/health.ts'
import { isOneOfSeveral } from './http/web-processes.ts'
import { METRICS } from './metrics.ts'
import { measureProcess, readFamilies } from './platform/observe/metrics-text.ts'

/** The endpoints that an operator reaches at ADMIN_PORT. */
export interface Admin {
  /** Marks the process as started. Until then, `/readyz` returns 503. */
  declareStarted(): void
  stop(): Promise<void>
}

/**
 * Serves `/metrics` and health at ADMIN_PORT, for this process and for the web processes that it supervises. A supervised web process
 * reports to its supervisor instead. `leaving` aborts when the process starts to stop. Errors: the port is taken.
 */
export async function startAdmin(leaving: AbortSignal): Promise<Admin> {
  await measureProcess()
  const own = METRICS.filter(({ fromDatabase }) => !fromDatabase)
  if (isOneOfSeveral) {
    reportMetrics(() => readFamilies(own))
    return { declareStarted: () => {}, stop: async () => {} }
  }
  const endStart = declareStarting()
  // At an installation's first start, there is no job queue yet.
  let hasStarted = false
  leaving.addEventListener('abort', declareDraining)
  const stop = await startAdminServer(async () => {
    const others = (await gatheredMetrics().current?.read()) ?? []
    return [await readFamilies(hasStarted ? METRICS : own), ...others]
  })
  const declareStarted = () => {
    hasStarted = true
    endStart()
  }
  return { declareStarted, stop }
}
