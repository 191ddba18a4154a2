import { type RefObject, useEffect } from 'react'

const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 60_000

/**
 * Opens an event stream anew that ended in an error: the browser repairs a lost connection by itself, but gives up on an answer that is no
 * stream (a proxy's 502, say). Each failure doubles the wait; whoever hears something sets `failures` back to 0.
 */
export function useReopened({ status, reset }: { status: string; reset: () => void }, failures: RefObject<number>): void {
  useEffect(() => {
    if (status !== 'error') return
    const timer = setTimeout(reset, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures.current++))
    return () => clearTimeout(timer)
  }, [status, reset, failures])
}
