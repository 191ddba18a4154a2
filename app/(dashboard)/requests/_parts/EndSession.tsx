'use client'

import { Button } from '@mantine/core'
import dynamic from 'next/dynamic'
import { useDialog } from '../../../_ui/use-dialog'
import { useMay } from '../../_parts/permissions'

// Loaded when first opened.
const EndPlaybackDialog = dynamic(() => import('../../_parts/EndPlaybackDialog').then((module) => module.EndPlaybackDialog), { ssr: false })

/** Ends the playback sessions of the token that a call created or exchanged. */
export function EndSession({ tokenId }: { tokenId: string }) {
  const mayChange = useMay('videos.change')
  const [dialog, ask] = useDialog()
  if (!mayChange) return null
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => ask()}>
        End this session…
      </Button>
      {dialog && <EndPlaybackDialog key={dialog.times} ending={{ kind: 'token', tokenId }} {...dialog.props} />}
    </>
  )
}
