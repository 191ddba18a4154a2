'use client'

import { Modal, type ModalProps } from '@mantine/core'
import { createContext, useContext, useLayoutEffect, useState } from 'react'

const ShowsSecret = createContext<(shows: boolean) => void>(() => {})

/**
 * A dialog that may show a secret once, in a SecretPanel. While it does, only a button of its content closes it: Escape, a click outside or a
 * repeated Enter would discard the secret.
 */
export function SecretDialog({ children, closeOnClickOutside = true, ...props }: ModalProps) {
  const [guarded, setGuarded] = useState(false)
  return (
    <Modal {...props} withCloseButton={!guarded} closeOnEscape={!guarded} closeOnClickOutside={closeOnClickOutside && !guarded}>
      <ShowsSecret value={setGuarded}>{children}</ShowsSecret>
    </Modal>
  )
}

/** Guards the dialog around the calling component for as long as the component is shown. */
export function useGuardedDialog(): void {
  const guard = useContext(ShowsSecret)
  useLayoutEffect(() => {
    guard(true)
    return () => guard(false)
  }, [guard])
}
