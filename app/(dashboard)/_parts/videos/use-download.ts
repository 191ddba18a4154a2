'use client'

import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTRPC } from '../../../_trpc/client'

/** A rendition; without a codec, in H.264. */
export interface DownloadChoice {
  quality: string
  codec?: 'av1'
}

/** Downloads a file of a video, the original without a choice. An MP4 that is not stored is prepared first, and the browser asks for it until it is. */
export function useDownload(videoId: string): { begin: (choice?: DownloadChoice) => void; busy: boolean } {
  const trpc = useTRPC()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const request = useMutation(trpc.video.download.mutationOptions())
  const id = `download-${videoId}`
  const ask = (choice?: DownloadChoice) =>
    request.mutate(
      { videoId, ...choice },
      {
        onSuccess({ status, url, retryAfterSec, filename }) {
          if (status === 'ready' && url) {
            notifications.hide(id)
            window.location.assign(url)
            return
          }
          timer.current = setTimeout(() => ask(choice), (retryAfterSec ?? 3) * 1_000)
          notifications.show({ id, withBorder: true, autoClose: false, loading: true, message: `Preparing “${filename}”…` })
        },
        onError({ message }) {
          notifications.hide(id)
          notifications.show({ withBorder: true, color: 'red', message })
        },
      },
    )
  const begin = (choice?: DownloadChoice) => {
    clearTimeout(timer.current)
    ask(choice)
  }
  return { begin, busy: request.isPending }
}
