'use client'

import dynamic from 'next/dynamic'
import { useId, useState } from 'react'
import classes from './Console.module.css'
import type { ConsoleOperation } from './request'

// The console is loaded with its first use.
const Console = dynamic(() => import('./Console').then((module) => module.Console), { ssr: false })

/** Opens the console of an operation below its examples. */
export function TryIt({ operation }: { operation: ConsoleOperation }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <button type="button" className={classes.open} aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {open ? 'Close the console' : 'Try it'}
      </button>
      <div id={id} hidden={!open}>
        {open && <Console operation={operation} />}
      </div>
    </>
  )
}
