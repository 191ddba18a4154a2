import type { ReactNode } from 'react'
import classes from './PlainButton.module.css'

/** Renders a button or a link without scripts of its own, for what is loaded with every page. */
export function PlainButton({ children, ...rest }: { children: ReactNode } & ({ href: string } | { onClick: () => void })) {
  return 'href' in rest ? (
    <a className={classes.button} {...rest}>
      {children}
    </a>
  ) : (
    <button type="button" className={classes.button} {...rest}>
      {children}
    </button>
  )
}
