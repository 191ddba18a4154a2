import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './DialogActions.module.css'

/** Renders the buttons at the end of a long form in a dialog, in view while the form scrolls. */
export const DialogActions = ({ children }: { children: ReactNode }) => (
  <Group justify="flex-end" gap="xs" className={classes.actions}>
    {children}
  </Group>
)
