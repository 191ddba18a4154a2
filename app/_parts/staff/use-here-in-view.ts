import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'

/** Returns the path, and the ref of the link to it in a row of links, which scrolls it into view: on a phone they do not all fit. */
export function useHereInView() {
  const path = usePathname()
  const here = useRef<HTMLAnchorElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the link changes with the path
  useEffect(() => {
    // Not returned: newer browsers return a promise, which React would take for a clean-up function.
    here.current?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  return { path, here }
}
