'use client'

import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import classes from './Search.module.css'

// Neither the dialog nor the index is loaded before the first use.
const load = () => import('./SearchDialog').then((module) => module.SearchDialog)
const SearchDialog = dynamic(load, { ssr: false })

/** Renders the search field of the header: opens the search, as ⌘K and / do on any page. */
export function SearchField() {
  const [times, setTimes] = useState(0)
  const open = () => setTimes((before) => before + 1)
  useHotkeys([
    ['mod+K', open],
    ['/', open],
  ])
  return (
    <>
      <button
        type="button"
        className={classes.field}
        onClick={open}
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        aria-keyshortcuts="Control+K Meta+K /"
        aria-haspopup="dialog"
      >
        <IconSearch size={15} />
        <span className={classes.placeholder}>Search the docs</span>
        <span className={classes.shortcut} aria-hidden="true">
          /
        </span>
      </button>
      {times > 0 && <SearchDialog times={times} />}
    </>
  )
}
