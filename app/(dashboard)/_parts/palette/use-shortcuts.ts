import { useLocalStorage } from '@mantine/hooks'
import { useRouter } from 'next/navigation'
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react'
import { PLACES } from '../places'

/** The time to press the second key of two. */
const PAIR_MS = 1_500

/** Returns whether shortcuts of letters alone are on, and a function that changes it: speech input can press them by mistake. */
export const useShortcutsOn = () => useLocalStorage({ key: 'reelgate-shortcuts', defaultValue: true, getInitialValueInEffect: false })

const never = () => () => {}

/** Returns whether the keyboard is one of Apple's. */
export const useIsApple = () =>
  useSyncExternalStore(
    never,
    () => /Mac|iPhone|iPad/.test(navigator.platform),
    () => false,
  )

export const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role="dialog"]') !== null

/** Opens a page with G and its letter, and the list of shortcuts with ?, except in fields and dialogs. */
export function useShortcuts(onHelp: () => void): void {
  const router = useRouter()
  const [isOn] = useShortcutsOn()
  const begun = useRef(-PAIR_MS)
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return
    const place = event.timeStamp - begun.current < PAIR_MS ? PLACES.find(({ letter }) => letter === event.key) : undefined
    begun.current = event.key === 'g' ? event.timeStamp : -PAIR_MS
    if (place) router.push(place.href)
    else if (event.key === '?') onHelp()
  })
  useEffect(() => {
    if (!isOn) return
    const listen = (event: KeyboardEvent) => press(event)
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [isOn])
}
