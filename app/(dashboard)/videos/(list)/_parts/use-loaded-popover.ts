import { useState } from 'react'

/**
 * Returns whether a popover is open, and the handlers of its button, which loads the content once the user points at it: a popover that opened
 * empty would grow under the pointer.
 */
export function useLoadedPopover(load: () => Promise<unknown>) {
  const [opened, setOpened] = useState(false)
  const button = {
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
    onClick: () => void load().then(() => setOpened(!opened)),
  }
  return { opened, setOpened, button }
}
