import { type RefObject, useEffect } from 'react'

const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 60_000

/**
 * Reopens an event stream that ended in an error. The browser restores a lost connection but gives up on a response that is not a stream (a
 * proxy's 502). Each failure doubles the wait; a caller that receives an event resets `failures` to 0.
 */
export function useReopened({ status, reset }: { status: string; reset: () => void }, failures: RefObject<number>): void {
  useEffect(() => {
    if (status !== 'error') return
    const timer = setTimeout(reset, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures.current++))
    return () => clearTimeout(timer)
  }, [status, reset, failures])
}
