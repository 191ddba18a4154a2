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
      message="Something went wrong on our side. Try again, and quote the request id if it persists."
      requestId={requestId}
      onRetry={() => window.location.reload()}
    />
  )
}
