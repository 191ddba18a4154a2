import { type KeyboardEvent, type PointerEvent, useState } from 'react'

interface Options {
  /** Number of points. */
  count: number
  /** Pixels from the left edge of the element to the first point's band, and of all bands. */
  left: number
  inner: number
  /** Whether the values are at the edges of the plot instead of in the middle of a band. */
  spread: boolean
  /** Opens what is behind the points; undefined when there is nothing. */
  onOpen?: ((first: number, last: number) => void) | undefined
  /** The first point that can be opened. */
  openFrom: number
}

interface Chosen {
  anchor: number
  head: number
}

/**
 * Returns the chosen points of a chart and the handlers that choose them: pointing and arrow keys choose one, dragging and Shift with arrow
 * keys several; a click, the end of a drag and Enter open them.
 */
export function useChosen({ count, left, inner, spread, onOpen, openFrom }: Options) {
  const [chosen, setChosen] = useState<Chosen>()
  const [dragging, setDragging] = useState(false)
  const range = chosen && chosen.anchor < count && chosen.head < count ? ordered(chosen) : undefined
  const mayOpen = Boolean(onOpen && range && range.from >= openFrom)
  const indexAt = (event: PointerEvent<HTMLElement>) => {
    const share = (event.clientX - event.currentTarget.getBoundingClientRect().left - left) / inner
    const index = spread ? Math.round(share * (count - 1)) : Math.floor(share * count)
    return Math.min(count - 1, Math.max(0, index))
  }
  const open = () => {
    if (onOpen && range && mayOpen) onOpen(range.from, range.to)
  }
  return {
    range,
    mayOpen,
    handlers: {
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        const head = indexAt(event)
        setChosen((held) => (dragging && held ? { ...held, head } : { anchor: head, head }))
      },
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return
        const at = indexAt(event)
        // A first tap shows the numbers, as pointing does with a mouse; only the next one opens them.
        const isTap = event.pointerType === 'touch'
        if (onOpen && (!isTap || (range?.from === at && range.to === at))) setDragging(true)
        if (!isTap) event.currentTarget.setPointerCapture(event.pointerId)
        setChosen({ anchor: at, head: at })
      },
      onPointerUp: () => {
        if (dragging) open()
        setDragging(false)
      },
      onPointerCancel: () => setDragging(false),
      onPointerLeave: () => !dragging && setChosen(undefined),
      onBlur: () => setChosen(undefined),
      onKeyDown: (event: KeyboardEvent) => {
        const moves: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -count, End: count, PageUp: 7, PageDown: -7 }
        const by = moves[event.key]
        if (by !== undefined) {
          event.preventDefault()
          const from = chosen ?? { anchor: count, head: count }
          const head = Math.min(count - 1, Math.max(0, from.head + by))
          setChosen({ anchor: event.shiftKey && chosen ? from.anchor : head, head })
        } else if (event.key === 'Enter') open()
        else if (event.key === 'Escape') setChosen(undefined)
      },
    },
  }
}

const ordered = ({ anchor, head }: Chosen) => ({ from: Math.min(anchor, head), to: Math.max(anchor, head) })
