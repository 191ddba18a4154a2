'use client'

import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'
import { ZONE_COOKIE } from './format'

const ZoneContext = createContext<readonly [zone: string, choose: (zone: string) => void]>(['UTC', () => {}])

/** Returns the time zone of the reader. Called in the browser. */
export const localZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Provides the zone in which times are shown: the reader's own, or UTC if they chose it. `initial` is the cookie's. */
export function TimeZoneProvider({ initial, children }: { initial: string | undefined; children: ReactNode }) {
  const [zone, setZone] = useState(() => (initial && isZone(initial) ? initial : 'UTC'))
  const choose = (chosen: string) => {
    setZone(chosen)
    // biome-ignore lint/suspicious/noDocumentCookie: the server reads it, so that it renders the same times
    document.cookie = `${ZONE_COOKIE}=${chosen}; Path=/; Max-Age=31536000; SameSite=Lax`
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first visit, and one from another zone
  useEffect(() => {
    if (initial !== 'UTC' && initial !== localZone()) choose(localZone())
  }, [])
  return <ZoneContext value={[zone, choose]}>{children}</ZoneContext>
}

/** Returns the zone in which times are shown, and a function that changes it. */
export const useTimeZone = () => useContext(ZoneContext)

function isZone(text: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: text }))
  } catch {
    return false
  }
}
