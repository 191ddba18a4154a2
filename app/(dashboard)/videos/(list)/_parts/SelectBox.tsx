import { Checkbox } from '@mantine/core'
import classes from './SelectBox.module.css'

interface Props {
  label: string
  checked: boolean
  indeterminate?: boolean
  /** `isRange`: with Shift, from the box that was used last. */
  onToggle: (isRange: boolean) => void
}

/** Renders the box that selects a video; Shift selects all from the one that was used last, by mouse and by keyboard. */
export function SelectBox({ label, checked, indeterminate = false, onToggle }: Props) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box names itself
    <label className={classes.area}>
      <Checkbox
        size="xs"
        aria-label={label}
        checked={checked}
        indeterminate={indeterminate}
        onClick={(event) => onToggle(event.shiftKey)}
        // The click has changed the selection.
        onChange={() => {}}
      />
    </label>
  )
}
