'use client'

import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { ListedKey } from '#server/modules/dashboard/list-keys'

// Each is loaded when first opened.
const RenameDialog = dynamic(() => import('./RenameDialog').then((module) => module.RenameDialog), { ssr: false })
const LimitsDialog = dynamic(() => import('./LimitsDialog').then((module) => module.LimitsDialog), { ssr: false })
const ScopesDialog = dynamic(() => import('./ScopesDialog').then((module) => module.ScopesDialog), { ssr: false })
const RotateDialog = dynamic(() => import('./RotateDialog').then((module) => module.RotateDialog), { ssr: false })
const DisableDialog = dynamic(() => import('./DisableDialog').then((module) => module.DisableDialog), { ssr: false })
const EnableDialog = dynamic(() => import('./EnableDialog').then((module) => module.EnableDialog), { ssr: false })
const EndPlaybackDialog = dynamic(() => import('../../_parts/EndPlaybackDialog').then((module) => module.EndPlaybackDialog), { ssr: false })
const RevokeDialog = dynamic(() => import('./RevokeDialog').then((module) => module.RevokeDialog), { ssr: false })

export type KeyDialog = 'rename' | 'scopes' | 'limits' | 'rotate' | 'disable' | 'enable' | 'revoke' | 'endPlayback'

interface Asked {
  to: KeyDialog
  key: ListedKey
  open: boolean
  /** Grows with each opening, so that a dialog starts with a fresh state. */
  times: number
}

/** Returns the dialogs of a key: a function that opens one, and the element to render. */
export function useKeyDialogs(baseUrl: string) {
  const [asked, setAsked] = useState<Asked>()
  const ask = (to: KeyDialog, key: ListedKey) => setAsked((before) => ({ to, key, open: true, times: (before?.times ?? 0) + 1 }))
  const dialog = asked && <Dialog key={asked.times} asked={asked} baseUrl={baseUrl} onClose={() => setAsked({ ...asked, open: false })} />
  return { ask, dialog }
}

function Dialog({ asked: { to, key, open }, baseUrl, onClose }: { asked: Asked; baseUrl: string; onClose: () => void }) {
  const props = { subject: key, opened: open, onClose }
  if (to === 'rename') return <RenameDialog {...props} />
  if (to === 'limits') return <LimitsDialog {...props} />
  if (to === 'scopes') return <ScopesDialog {...props} />
  if (to === 'rotate') return <RotateDialog {...props} baseUrl={baseUrl} />
  if (to === 'disable') return <DisableDialog {...props} />
  if (to === 'enable') return <EnableDialog {...props} />
  if (to === 'endPlayback') {
    const ending = { kind: 'key', keyId: key.id, name: key.name, working: key.state === 'ACTIVE' || key.state === 'ROTATING_OUT' } as const
    return <EndPlaybackDialog ending={ending} opened={open} onClose={onClose} />
  }
  return <RevokeDialog {...props} />
}
