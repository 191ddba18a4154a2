import type { ReactNode } from 'react'
import classes from './CodeBlock.module.css'
import { CopyButton } from './CopyButton'

/** Shows code to paste, with a copy button; `children` show the code highlighted. */
export function CodeBlock({ code, label, children }: { code: string; label: string; children?: ReactNode }) {
  return (
    <div className={classes.block} data-search="off">
      <div className={classes.bar}>
        <span>{label}</span>
        <CopyButton value={code} label="Copy" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it */}
      <pre className={classes.code} tabIndex={0}>
        {children ?? code}
      </pre>
    </div>
  )
}
