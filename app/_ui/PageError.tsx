'use client'

import { ErrorState } from './ErrorState'

interface Props {
  error: Error & { digest?: string; data?: { requestId?: string } }
  reset?: () => void
}

/** Shows a broken page: an explanation, a next step and an id to quote. Never shows the error's message. */
export function PageError({ error }: Props) {
  const requestId = error.data?.requestId ?? error.digest
  return (
    <ErrorState
      wholePage
      message="An unexpected error occurred. Try again. If the problem persists, contact support and include the request ID."
      requestId={requestId}
      onRetry={() => window.location.reload()}
    />
  )
}
