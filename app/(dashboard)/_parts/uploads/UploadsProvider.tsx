'use client'

import { useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { type ReactNode, useCallback, useEffect, useMemo } from 'react'
import { useTRPC } from '../../../_trpc/client'
import { useDialog } from '../../../_ui/use-dialog'
import { isUnfinished, type UploadMode, type Uploads, UploadsContext } from './uploads'
import { useUploadQueue } from './use-upload-queue'

// Neither the uploader nor its dialog is loaded before the first upload.
const UploadDialog = dynamic(() => import('./UploadDialog').then((module) => module.UploadDialog), { ssr: false })
const UploadsTray = dynamic(() => import('./UploadsTray').then((module) => module.UploadsTray), { ssr: false })

/** Holds the uploads of this tab: they continue on every page, and the tab warns before it closes. */
export function UploadsProvider({ accountId, maxBytes, children }: { accountId: string; maxBytes: number; children: ReactNode }) {
  const [dialog, open] = useDialog<UploadMode>()
  const trpc = useTRPC()
  const client = useQueryClient()
  const onDone = useCallback(() => {
    void client.invalidateQueries(trpc.video.list.pathFilter())
    // A new source is not seen in the video itself before it is transcoded.
    void client.invalidateQueries(trpc.video.log.pathFilter())
    void client.invalidateQueries(trpc.video.processing.pathFilter())
  }, [client, trpc])
  const { items, add, pause, resume, cancel, dismiss } = useUploadQueue(accountId, onDone)

  const unfinished = items.some(isUnfinished)
  useEffect(() => {
    if (!unfinished) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [unfinished])

  const openDialog = useCallback(
    (mode: UploadMode = 'files') => {
      // Loads together with the dialog, so that all fields appear at once.
      void client.prefetchQuery(trpc.account.settings.queryOptions())
      open(mode)
    },
    [open, client, trpc],
  )
  const uploads = useMemo<Uploads>(
    () => ({ items, accountId, maxBytes, openDialog, add, pause, resume, cancel, dismiss }),
    [items, accountId, maxBytes, openDialog, add, pause, resume, cancel, dismiss],
  )

  return (
    <UploadsContext.Provider value={uploads}>
      {children}
      {dialog && <UploadDialog key={dialog.times} mode={dialog.subject} {...dialog.props} />}
      {items.length > 0 && <UploadsTray />}
    </UploadsContext.Provider>
  )
}
