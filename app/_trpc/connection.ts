'use client'

/** Dispatches suspicions to the component that shows a lost connection. */
const suspicions = new EventTarget()

/** Reports that a request did not reach the server or an event stream broke; the listener then checks the connection. */
export const suspectConnection = () => suspicions.dispatchEvent(new Event('suspect'))

/** Calls `look` on each suspicion. Returns a function that removes the listener. */
export function onConnectionSuspected(look: () => void): () => void {
  suspicions.addEventListener('suspect', look)
  return () => suspicions.removeEventListener('suspect', look)
}

/** Returns whether the server responds now. */
export async function isServerReachable(): Promise<boolean> {
  try {
    const { ok } = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(4_000) })
    return ok
  } catch {
    return false
  }
}
