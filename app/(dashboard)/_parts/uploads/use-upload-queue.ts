import { useCallback, useEffect, useRef, useState } from 'react'
import { fileKey } from './drafts'
import type { RunningUpload } from './engine'
import type { UploadDetails } from './options'
import { AT_ONCE, type UploadItem } from './uploads'

interface Source {
  file: File
  details: UploadDetails
}

/** Sends the added files, a few at a time, in the order in which they were added or resumed. */
export function useUploadQueue(accountId: string, onDone: () => void) {
  const [items, setItems] = useState<UploadItem[]>([])
  const sources = useRef(new Map<number, Source>())
  const running = useRef(new Map<number, RunningUpload>())
  /** The uploads in progress. Kept separate from the items, which update a moment later. */
  const active = useRef(new Set<number>())
  const lastId = useRef(0)

  const change = useCallback((id: number, changes: Partial<UploadItem>) => {
    setItems((now) => now.map((item) => (item.id === id ? { ...item, ...changes } : item)))
  }, [])

  const begin = useCallback(
    async (id: number, { file, details }: Source) => {
      active.current.add(id)
      change(id, { state: 'sending' })
      const known = running.current.get(id)
      if (known) return known.resume()
      const ended = (changes: Partial<UploadItem>) => {
        active.current.delete(id)
        change(id, changes)
      }
      try {
        const { startUpload } = await import('./engine')
        const upload = await startUpload(file, details, accountId, {
          progress: (sent, speed, secondsLeft) => change(id, { sent, speed, secondsLeft }),
          paused: (problem, kept) =>
            ended({ state: 'paused', problem, speed: undefined, secondsLeft: undefined, ...(kept !== undefined && { sent: kept }) }),
          failed: (problem, resumable) => ended({ state: 'failed', problem, resumable }),
          done(videoId) {
            ended({ state: 'done', sent: file.size, videoId })
            onDone()
          },
        })
        running.current.set(id, upload)
        // Cancelled or paused while it was loading.
        if (!sources.current.has(id)) void upload.cancel()
        else if (!active.current.has(id)) upload.pause()
      } catch {
        ended({ state: 'failed', problem: 'Could not load the uploader. Reload the page and select the file again.' })
      }
    },
    [accountId, change, onDone],
  )

  useEffect(() => {
    for (const { id, state } of items) {
      const source = sources.current.get(id)
      if (state === 'waiting' && source && active.current.size < AT_ONCE && !active.current.has(id)) void begin(id, source)
    }
  }, [items, begin])

  const add = useCallback((files: Source[]) => {
    const added = files.map(({ file, details }): UploadItem => {
      const id = ++lastId.current
      sources.current.set(id, { file, details })
      return { id, fileKey: fileKey(file), title: details.title, bytes: file.size, sent: 0, state: 'waiting' }
    })
    setItems((now) => [...now, ...added])
  }, [])

  const pause = useCallback(
    (id: number) => {
      active.current.delete(id)
      running.current.get(id)?.pause()
      change(id, { state: 'paused', problem: undefined, speed: undefined, secondsLeft: undefined })
    },
    [change],
  )
  const resume = useCallback((id: number) => change(id, { state: 'waiting', problem: undefined }), [change])

  const dismiss = useCallback((id: number) => {
    for (const known of [sources, running, active]) known.current.delete(id)
    setItems((now) => now.filter((item) => item.id !== id))
  }, [])
  const cancel = useCallback(
    (id: number) => {
      void running.current.get(id)?.cancel()
      dismiss(id)
    },
    [dismiss],
  )

  return { items, add, pause, resume, cancel, dismiss }
}
