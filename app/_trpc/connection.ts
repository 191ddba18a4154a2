'use client'

/** Heard by whoever shows that the connection is lost. */
const suspicions = new EventTarget()

/** Says that a request did not reach the server, or an event stream broke; whether the connection is lost is then looked into. */
export const suspectConnection = () => suspicions.dispatchEvent(new Event('suspect'))

/** Calls `look` at each suspicion; returns how to stop. */
export function onSuspicion(look: () => void): () => void {
  suspicions.addEventListener('suspect', look)
  return () => suspicions.removeEventListener('suspect', look)
}

/** Whether the server answers just now. */
export async function serverAnswers(): Promise<boolean> {
  try {
    const { ok } = await fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(4_000) })
    return ok
  } catch {
    return false
  }
}
