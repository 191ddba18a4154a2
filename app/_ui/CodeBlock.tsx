import classes from './CodeBlock.module.css'
import { CopyButton } from './CopyButton'

/** Something to paste, with a button that copies it. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  return (
    <div className={classes.block}>
      <div className={classes.bar}>
        <span>{label}</span>
        <CopyButton value={code} label="Copy" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it */}
      <pre className={classes.code} tabIndex={0}>
        {code}
      </pre>
    </div>
  )
}
