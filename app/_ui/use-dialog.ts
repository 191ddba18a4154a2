import { useCallback, useState } from 'react'

interface Opening<Subject> {
  subject: Subject
  times: number
  opened: boolean
}

/**
 * Returns the dialog that was opened last, undefined before the first, and a function that opens one. `times` grows with each opening: as a
 * key it gives the dialog a fresh state. `props` close this opening only: an answer that arrives late does not close the dialog that the
 * user has opened since.
 */
export function useDialog<Subject = void>() {
  const [last, setLast] = useState<Opening<Subject>>()
  const open = useCallback((subject: Subject) => setLast((before) => ({ subject, times: (before?.times ?? 0) + 1, opened: true })), [])
  const dialog = last && {
    subject: last.subject,
    times: last.times,
    props: {
      opened: last.opened,
      onClose: () => setLast((now) => (now?.times === last.times ? { ...now, opened: false } : now)),
    },
  }
  return [dialog, open] as const
}
