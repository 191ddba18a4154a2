import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Returns the ref of an element that lies over the end of the page. While it is mounted, the property `name` of the root is its height and
 * `around`, in pixels: `--rg-room-below` in global.css adds them up.
 */
export function useRoomBelow(name: '--rg-bulk-bar' | '--rg-uploads', around: number): RefObject<HTMLElement | null> {
  const ref = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const { style } = document.documentElement
    const write = () => style.setProperty(name, `${element.offsetHeight + around}px`)
    write()
    const observer = new ResizeObserver(write)
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty(name)
    }
  }, [name, around])
  return ref
}
