'use client'

import { UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { CurrentUser } from '#server/modules/identity/sessions/get-current-user'
import { useDialog } from '../../../_ui/use-dialog'
import classes from './PaletteField.module.css'
import { useEarlyKeys } from './use-early-keys'
import { useIsApple, useShortcuts } from './use-shortcuts'

// No part of the palette is loaded before its first use.
const load = () => import('./Palette').then((module) => module.Palette)
const Palette = dynamic(load, { ssr: false })
const ShortcutsDialog = dynamic(() => import('./ShortcutsDialog').then((module) => module.ShortcutsDialog), { ssr: false })

/** Renders the header's search field: opens the palette, as ⌘K does on any page. */
export function PaletteField({ me, baseUrl }: { me: CurrentUser; baseUrl: string }) {
  const [times, setTimes] = useState(0)
  const apple = useIsApple()
  const early = useEarlyKeys()
  const open = () => {
    early.keep()
    setTimes((before) => before + 1)
  }
  const [help, openHelp] = useDialog()
  useHotkeys([['mod+K', open]], [])
  useShortcuts(openHelp)
  return (
    <>
      <UnstyledButton
        className={classes.field}
        onClick={open}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        aria-keyshortcuts={apple ? 'Meta+K' : 'Control+K'}
        aria-haspopup="dialog"
      >
        <IconSearch size={15} />
        <span className={classes.placeholder}>Search or jump to…</span>
        <span className={classes.keys} aria-hidden="true">
          {apple ? '⌘K' : 'Ctrl K'}
        </span>
      </UnstyledButton>
      {times > 0 && <Palette me={me} baseUrl={baseUrl} times={times} takeTyped={early.take} onHelp={openHelp} />}
      {help && <ShortcutsDialog key={help.times} commandKey={apple ? '⌘' : 'Ctrl'} {...help.props} />}
    </>
  )
}
