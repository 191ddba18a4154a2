'use client'

import { useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTRPC } from '../../../_trpc/client'
import type { RunningUpload } from './engine'
import type { UploadDetails } from './options'
import { type UploadItem, type Uploads, UploadsContext } from './uploads'

// Neither the uploader nor its dialog is loaded before somebody uploads.
const UploadDialog = dynamic(() => import('./UploadDialog').then((module) => module.UploadDialog), { ssr: false })
const UploadsTray = dynamic(() => import('./UploadsTray').then((module) => module.UploadsTray), { ssr: false })

/** Holds the uploads of this tab: they go on whichever page or dialog is open, and are not lost to a careless close. */
export function UploadsProvider({ accountId, maxBytes, children }: { accountId: string; maxBytes: number; children: ReactNode }) {
  const [items, setItems] = useState<UploadItem[]>([])
  const [dialog, setDialog] = useState<{ open: boolean; file?: File; times: number }>({ open: false, times: 0 })
  const running = useRef(new Map<number, RunningUpload>())
  const lastId = useRef(0)
  const trpc = useTRPC()
  const client = useQueryClient()

  const change = useCallback((id: number, changes: Partial<UploadItem>) => {
    setItems((now) => now.map((item) => (item.id === id ? { ...item, ...changes } : item)))
  }, [])
  const dismiss = useCallback((id: number) => {
    running.current.delete(id)
    setItems((now) => now.filter((item) => item.id !== id))
  }, [])

  const start = useCallback(
    async (file: File, details: UploadDetails) => {
      const id = ++lastId.current
      setItems((now) => [{ id, title: details.title, fileName: file.name, bytes: file.size, sent: 0, state: 'sending' }, ...now])
      try {
        const { startUpload } = await import('./engine')
        const upload = await startUpload(file, details, accountId, {
          progress: (sent, speed, secondsLeft) => change(id, { sent, speed, secondsLeft }),
          failed: (problem, resumable) => change(id, { state: 'failed', problem, resumable }),
          done(videoId) {
            change(id, { state: 'done', sent: file.size, videoId })
            void client.invalidateQueries(trpc.video.list.pathFilter())
          },
        })
        running.current.set(id, upload)
      } catch {
        change(id, { state: 'failed', problem: 'The uploader could not be loaded. Reload the page and choose the file again.' })
      }
    },
    [accountId, change, client, trpc],
  )

  const unfinished = items.some(({ state }) => state === 'sending' || state === 'paused')
  useEffect(() => {
    if (!unfinished) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [unfinished])

  const uploads = useMemo<Uploads>(
    () => ({
      items,
      accountId,
      maxBytes,
      dismiss,
      start: (file, details) => void start(file, details),
      openDialog: (file) => setDialog(({ times }) => ({ open: true, file, times: times + 1 })),
      pause(id) {
        running.current.get(id)?.pause()
        change(id, { state: 'paused', speed: undefined, secondsLeft: undefined })
      },
      resume(id) {
        running.current.get(id)?.resume()
        change(id, { state: 'sending', problem: undefined })
      },
      cancel(id) {
        void running.current.get(id)?.cancel()
        dismiss(id)
      },
    }),
    [items, accountId, maxBytes, start, change, dismiss],
  )

  return (
    <UploadsContext.Provider value={uploads}>
      {children}
      {dialog.times > 0 && (
        <UploadDialog
          key={dialog.times}
          opened={dialog.open}
          file={dialog.file}
          onClose={() => setDialog((now) => ({ ...now, open: false }))}
        />
      )}
      {items.length > 0 && <UploadsTray />}
    </UploadsContext.Provider>
  )
}
