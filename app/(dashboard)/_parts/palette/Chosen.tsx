'use client'

import { VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'

/** Announces the command that Enter would run: the focus stays in the field, and the library marks the choice only visually. */
export function Chosen() {
  const here = useRef<HTMLDivElement>(null)
  const [text, setText] = useState('')
  useEffect(() => {
    const palette = here.current?.parentElement
    if (!palette) return
    const read = () => {
      const leaves = palette.querySelectorAll('[data-action][data-selected] *:not(svg, svg *, :has(*))')
      setText(Array.from(leaves, ({ textContent }) => textContent).join(', '))
    }
    const observer = new MutationObserver(read)
    observer.observe(palette, { subtree: true, attributeFilter: ['data-selected'] })
    read()
    return () => observer.disconnect()
  }, [])
  return (
    <VisuallyHidden ref={here} role="status">
      {text}
    </VisuallyHidden>
  )
}
