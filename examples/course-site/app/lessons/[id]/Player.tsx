'use client'

import Script from 'next/script'
import { createElement, useEffect, useRef, useState } from 'react'

/** The player element of Reelgate. A page from the browser's cache has an expired token, so it fetches a new one, once. */
export function Player({ lessonId, token, serviceUrl }: { lessonId: string; token: string; serviceUrl: string }) {
  const element = useRef<HTMLElement>(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const player = element.current
    let isRenewed = false
    const ready = () => {
      isRenewed = false
    }
    const renew = async (event: Event) => {
      const { code, message } = (event as CustomEvent<{ code: string; message: string }>).detail
      if (code !== 'PLAYBACK_TOKEN_EXPIRED' || isRenewed) return setProblem(message)
      isRenewed = true
      const response = await fetch(`/lessons/${lessonId}/token`, { method: 'POST' })
      if (response.ok) player?.setAttribute('token', (await response.json()).token)
      else window.location.reload()
    }
    player?.addEventListener('ready', ready)
    player?.addEventListener('error', renew)
    return () => {
      player?.removeEventListener('ready', ready)
      player?.removeEventListener('error', renew)
    }
  }, [lessonId])
  return (
    <>
      <Script src={`${serviceUrl}/player/reelgate-player.js`} />
      {createElement('reelgate-player', { ref: element, token })}
      {problem && <p role="alert">{problem}</p>}
    </>
  )
}
