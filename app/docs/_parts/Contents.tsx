'use client'

import { useEffect, useRef, useState } from 'react'
import classes from './Contents.module.css'
import type { SectionRef } from './sections'

/** Distance in pixels from the top of the window below which a heading counts as read: the header and a line. */
const READ_BELOW = 110

/** Lists the sections of a page as links and marks the one that is read. */
export function Contents({ sections }: { sections: SectionRef[] }) {
  const current = useCurrentSection(sections)
  const list = useRef<HTMLUListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the marked link changes with the section
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>('[aria-current]')
    const scroller = list.current?.parentElement
    if (!link || !scroller || scroller.scrollHeight <= scroller.clientHeight) return
    // Scrolls the list alone: scrollIntoView would end a smooth scroll of the page.
    scroller.scrollTop = link.offsetTop - scroller.clientHeight / 2
  }, [current])
  return (
    <ul ref={list} className={classes.list}>
      {sections.map(({ id, title }) => (
        <li key={id}>
          <a href={`#${id}`} aria-current={id === current ? 'location' : undefined}>
            {title}
          </a>
        </li>
      ))}
    </ul>
  )
}

/** Returns the id of the last section whose heading is at the top of the window or above it, and undefined before the first. */
function useCurrentSection(sections: SectionRef[]): string | undefined {
  const [current, setCurrent] = useState<string>()
  const ids = sections.map(({ id }) => id).join(' ')
  useEffect(() => {
    let frame = 0
    const read = () => {
      const all = ids.split(' ')
      const atEnd = window.scrollY > 0 && window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2
      const isRead = (id: string) => (document.getElementById(id)?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY) < READ_BELOW
      setCurrent(atEnd ? all.at(-1) : all.findLast(isRead))
    }
    const schedule = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(read)
    }
    schedule()
    addEventListener('scroll', schedule, { passive: true })
    addEventListener('resize', schedule)
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener('scroll', schedule)
      removeEventListener('resize', schedule)
    }
  }, [ids])
  return current
}
