'use client'

import { createContext, type ReactNode, useContext, useEffect, useSyncExternalStore } from 'react'
import { ZONE_COOKIE } from './format'

/** The zone of the server's HTML. It stays the same while a page loads: a new value would make React replace the page with its skeleton. */
const InitialZone = createContext('UTC')

/** The zone chosen in this tab, once it differs from the server's. */
let chosen: string | undefined
const listeners = new Set<() => void>()
const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function choose(zone: string): void {
  chosen = zone
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it, so that it renders the same times
  document.cookie = `${ZONE_COOKIE}=${zone}; Path=/; Max-Age=31536000; SameSite=Lax`
  for (const listener of listeners) listener()
}

/** Returns the time zone of the reader. Called in the browser. */
export const localZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Provides the zone in which times are shown: the reader's own, or UTC if they chose it. `initial` is the cookie's. */
export function TimeZoneProvider({ initial, children }: { initial: string | undefined; children: ReactNode }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first visit, and one from another zone
  useEffect(() => {
    if (initial !== 'UTC' && initial !== localZone()) choose(localZone())
  }, [])
  return <InitialZone value={initial && isZone(initial) ? initial : 'UTC'}>{children}</InitialZone>
}

/** Returns the zone in which times are shown, and a function that changes it. */
export function useTimeZone(): readonly [zone: string, choose: (zone: string) => void] {
  const initial = useContext(InitialZone)
  const zone = useSyncExternalStore(
    listen,
    () => chosen ?? initial,
    () => initial,
  )
  return [zone, choose]
}

function isZone(text: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: text }))
  } catch {
    return false
  }
}
