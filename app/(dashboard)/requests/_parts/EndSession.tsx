'use client'

import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { useMay } from '../../_parts/permissions'

// Loaded when first opened.
const EndPlaybackDialog = dynamic(() => import('../../_parts/EndPlaybackDialog').then((module) => module.EndPlaybackDialog), { ssr: false })

/** Ends the playback sessions of the token that a call created or exchanged. */
export function EndSession({ tokenId }: { tokenId: string }) {
  const mayChange = useMay('videos.change')
  const [opened, { open, close }] = useDisclosure(false)
  const [asked, setAsked] = useState(false)
  if (!mayChange) return null
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          setAsked(true)
          open()
        }}
      >
        End this session…
      </Button>
      {asked && <EndPlaybackDialog ending={{ kind: 'token', tokenId }} opened={opened} onClose={close} />}
    </>
  )
}
