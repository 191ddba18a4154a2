'use client'

import type { ReactNode } from 'react'
import { ErrorMessage } from './ErrorMessage'

export interface PageErrorProps {
  error: Error & { digest?: string; data?: { requestId?: string } }
  reset?: () => void
}

interface Props extends PageErrorProps {
  /** Shows the id, by default as text: what the page for all errors uses is loaded with every page. */
  showId?: (id: string) => ReactNode
}

/** Shows a broken page: an explanation, a next step and an id to quote. Never shows the error's message. */
export function PageError({ error, showId = (id) => <code style={{ userSelect: 'all' }}>{id}</code> }: Props) {
  const requestId = error.data?.requestId ?? error.digest
  return (
    <ErrorMessage
      wholePage
      message="An unexpected error occurred. Try again. If the problem persists, contact support and include the request ID."
      requestId={requestId && showId(requestId)}
      onRetry={() => window.location.reload()}
    />
  )
}
