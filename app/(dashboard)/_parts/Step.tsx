import { VisuallyHidden } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './Step.module.css'

interface Props {
  number: number
  title: string
  done: boolean
  action?: ReactNode
  children: ReactNode
}

/** One step of the way in; ticked off once it is really done. */
export function Step({ number, title, done, action, children }: Props) {
  return (
    <div className={classes.step} data-done={done || undefined}>
      <span className={classes.number}>{done ? <IconCheck size={14} stroke={2.5} /> : number}</span>
      <div className={classes.text}>
        <h3 className={classes.title}>
          {title}
          {done && <VisuallyHidden>, done</VisuallyHidden>}
        </h3>
        <div className={classes.body}>{children}</div>
      </div>
      {!done && action}
    </div>
  )
}
