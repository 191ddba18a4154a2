'use client'

import type { ReactNode } from 'react'
import { ErrorMessage } from '../ErrorMessage'
import { readDigest } from './page-digest'

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
  const { isWait, ...digest } = readDigest(error.digest)
  const requestId = error.data?.requestId ?? digest.requestId
  const happened = isWait
    ? 'The server took too long to load this page. Try again in a moment.'
    : 'An unexpected error occurred. Try again.'
  return (
    <ErrorMessage
      wholePage
      message={`${happened} If the problem persists, contact support and include the request ID.`}
      requestId={requestId && showId(requestId)}
      onRetry={() => window.location.reload()}
    />
  )
}
