import type { Server } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { declareDraining } from './health.ts'
import { closeHttpServer } from './http-server.ts'

/** How a web process shuts down. */
export interface Departure {
  /** Milliseconds during which requests are still accepted while /readyz returns 503. */
  drainMs: number
  /** Milliseconds that running responses then have. */
  graceMs: number
  /** Ends the drain early and shortens the rest, for an operator who is waiting. */
  hurry: AbortSignal
}

/** Milliseconds that running responses, downloads and uploads have after DRAIN_SEC. Uploads that are cut off can resume. */
export const SHUTDOWN_MS = 30_000
/** Milliseconds that running responses have when the operator is waiting. */
export const HURRIED_MS = 3_000

/**
 * Takes a server out of service without failing a request. /readyz returns 503 at once, so that proxies stop choosing this process;
 * requests that still arrive are served, and each response ends its connection. Then `onClosing` runs (it ends event streams), the port
 * closes, and running responses end.
 */
export async function leaveService(server: Server, { drainMs, graceMs, hurry }: Departure, onClosing = () => {}): Promise<void> {
  declareDraining()
  if (drainMs > 0 && !hurry.aborted) {
    const end = (_req: unknown, res: { setHeader(name: string, value: string): unknown }) => res.setHeader('Connection', 'close')
    server.prependListener('request', end)
    await wait(drainMs, undefined, { signal: hurry }).catch(() => {})
  }
  onClosing()
  if (hurry.aborted) return closeHttpServer(server, Math.min(HURRIED_MS, graceMs))
  const shorten = () => setTimeout(() => server.closeAllConnections(), HURRIED_MS).unref()
  hurry.addEventListener('abort', shorten, { once: true })
  await closeHttpServer(server, graceMs)
  hurry.removeEventListener('abort', shorten)
}
