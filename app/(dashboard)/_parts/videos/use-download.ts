'use client'

import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTRPC } from '../../../_trpc/client'

/** Downloads a file of a video. An MP4 that is not stored is prepared first, and the browser asks for it until it is. */
export function useDownload(videoId: string): { begin: (quality?: string) => void; busy: boolean } {
  const trpc = useTRPC()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const request = useMutation(trpc.video.download.mutationOptions())
  const id = `download-${videoId}`
  const ask = (quality?: string) =>
    request.mutate(
      { videoId, quality },
      {
        onSuccess({ status, url, retryAfterSec, filename }) {
          if (status === 'ready' && url) {
            notifications.hide(id)
            window.location.assign(url)
            return
          }
          timer.current = setTimeout(() => ask(quality), (retryAfterSec ?? 3) * 1_000)
          notifications.show({ id, withBorder: true, autoClose: false, loading: true, message: `Preparing “${filename}”…` })
        },
        onError({ message }) {
          notifications.hide(id)
          notifications.show({ withBorder: true, color: 'red', message })
        },
      },
    )
  const begin = (quality?: string) => {
    clearTimeout(timer.current)
    ask(quality)
  }
  return { begin, busy: request.isPending }
}
