'use client'

import dynamic from 'next/dynamic'
import type { ListedKey } from '#server/modules/dashboard/list-keys'
import { useDialog } from '../../../_ui/use-dialog'

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
}

/** Returns the dialogs of a key: a function that opens one, and the element to render. */
export function useKeyDialogs(baseUrl: string) {
  const [asked, open] = useDialog<Asked>()
  const ask = (to: KeyDialog, key: ListedKey) => open({ to, key })
  const dialog = asked && <Dialog key={asked.times} asked={asked.subject} baseUrl={baseUrl} {...asked.props} />
  return { ask, dialog }
}

interface DialogProps {
  asked: Asked
  baseUrl: string
  opened: boolean
  onClose: () => void
}

function Dialog({ asked: { to, key }, baseUrl, opened, onClose }: DialogProps) {
  const props = { subject: key, opened, onClose }
  if (to === 'rename') return <RenameDialog {...props} />
  if (to === 'limits') return <LimitsDialog {...props} />
  if (to === 'scopes') return <ScopesDialog {...props} />
  if (to === 'rotate') return <RotateDialog {...props} baseUrl={baseUrl} />
  if (to === 'disable') return <DisableDialog {...props} />
  if (to === 'enable') return <EnableDialog {...props} />
  if (to === 'endPlayback') {
    const ending = { kind: 'key', keyId: key.id, name: key.name, working: key.state === 'ACTIVE' || key.state === 'ROTATING_OUT' } as const
    return <EndPlaybackDialog ending={ending} opened={opened} onClose={onClose} />
  }
  return <RevokeDialog {...props} />
}
