import { VisuallyHidden } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './Step.module.css'

interface Props {
  number: number
  title: string
  done: boolean
  /** The current step, which completes without a click. */
  waiting?: boolean
  action?: ReactNode
  children: ReactNode
}

/** Shows one step of the set-up; checked off once it is complete, which is also announced to screen readers. */
export function Step({ number, title, done, waiting = false, action, children }: Props) {
  return (
    <div className={classes.step} data-done={done || undefined}>
      <span className={classes.number}>{done ? <IconCheck size={14} stroke={2.5} /> : number}</span>
      <div className={classes.text}>
        <h3 className={classes.title}>{title}</h3>
        <VisuallyHidden role="status">{done && `${title}: done`}</VisuallyHidden>
        <div className={classes.body}>{children}</div>
        {waiting && !done && (
          <span className={classes.waiting}>
            <span className={classes.dot} />
            Waiting…
          </span>
        )}
      </div>
      {!done && action && <div className={classes.action}>{action}</div>}
    </div>
  )
}
