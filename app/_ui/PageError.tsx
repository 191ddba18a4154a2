'use client'

import { ErrorState } from './ErrorState'

interface Props {
  error: Error & { digest?: string; data?: { requestId?: string } }
  reset?: () => void
}

/** What a page shows when it broke: words, a way on, and what to quote. Never what the code said. */
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
