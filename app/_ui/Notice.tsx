import { IconAlertCircle, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './Notice.module.css'

/** Shows a sentence inside a form that must be noticed: an error or a hint. */
export function Notice({ tone, children }: { tone: 'bad' | 'info'; children: ReactNode }) {
  return (
    <div className={classes.notice} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      {tone === 'bad' ? <IconAlertCircle size={17} /> : <IconInfoCircle size={17} />}
      <div>{children}</div>
    </div>
  )
}
