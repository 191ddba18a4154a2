'use client'

import { type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'

const waiting = new Set<() => void>()
let running = false

function drawNext(): void {
  const [draw] = waiting
  running = draw !== undefined
  if (!draw) return
  waiting.delete(draw)
  flushSync(draw)
  setTimeout(drawNext)
}

/**
 * Renders expensive content in a separate task, one after another, so that the page responds in between; several charts rendered at once
 * are one long task. Reserves `height` pixels.
 */
export function InTurn({ height, children }: { height: number; children: ReactNode }) {
  const [drawn, setDrawn] = useState(false)
  useEffect(() => {
    const draw = () => setDrawn(true)
    waiting.add(draw)
    if (!running) {
      running = true
      setTimeout(drawNext)
    }
    return () => void waiting.delete(draw)
  }, [])
  return drawn ? children : <div style={{ height }} />
}
