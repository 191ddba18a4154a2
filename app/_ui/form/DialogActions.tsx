import { Button, type ButtonProps, Group } from '@mantine/core'
import classes from './DialogActions.module.css'

interface Props extends ButtonProps {
  onCancel: () => void
  /** Focuses Cancel when the dialog opens, so that a repeated Enter does nothing. */
  focusCancel?: boolean
  /** Without it, the second button submits the form. */
  onClick?: () => void
  /** Keeps the buttons in view while a long form scrolls. */
  sticky?: boolean
}

/** Renders the two buttons at the end of a dialog: Cancel, and the action, which takes the other properties. */
export const DialogActions = ({ onCancel, focusCancel, sticky, ...action }: Props) => (
  <Group justify="flex-end" gap="xs" className={sticky ? classes.actions : undefined}>
    <Button variant="default" onClick={onCancel} data-autofocus={focusCancel || undefined}>
      Cancel
    </Button>
    <Button type={action.onClick ? 'button' : 'submit'} {...action} />
  </Group>
)
