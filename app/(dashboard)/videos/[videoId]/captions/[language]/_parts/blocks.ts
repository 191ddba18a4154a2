import { type RefObject, useEffect, useState } from 'react'

/** Captions of a block, which is drawn while it is near the view: a video of ten hours has 5,000 captions, and a file may have 60,000. */
export const BLOCK = 50

/** Divides captions into blocks. `from`: the position of the first one. */
export const blocksOf = <Item>(items: readonly Item[]): { from: number; block: readonly Item[] }[] =>
  Array.from({ length: Math.ceil(items.length / BLOCK) }, (_, at) => ({
    from: at * BLOCK,
    block: items.slice(at * BLOCK, (at + 1) * BLOCK),
  }))

/** Returns whether an element is near the view, and the height in pixels that it had when it was there last. */
export function useNear(element: RefObject<Element | null>, isNearAtFirst: boolean): { isNear: boolean; height: number | undefined } {
  const [isNear, setNear] = useState(isNearAtFirst)
  const [height, setHeight] = useState<number>()
  useEffect(() => {
    if (!element.current) return
    // Two screens: a list that is scrolled fast shows no gaps.
    const options = { scrollMargin: '200%', rootMargin: '200%' }
    const observer = new IntersectionObserver((entries) => {
      const entry = entries.at(-1)
      if (!entry) return
      if (!entry.isIntersecting) setHeight(entry.boundingClientRect.height)
      setNear(entry.isIntersecting)
    }, options)
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return { isNear, height }
}
