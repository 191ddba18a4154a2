'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

/** Reloads the data of the page every three seconds while something on it changes. */
export function Refresh({ while: isOn }: { while: boolean }) {
  const router = useRouter()
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => router.refresh(), 3_000)
    return () => clearInterval(timer)
  }, [isOn, router])
  return null
}
