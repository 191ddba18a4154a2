import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { PlainButton } from './form/PlainButton'
import { EmptyState } from './page/EmptyState'

interface Props {
  message: string
  /** The id under which the server's log has the details. */
  requestId?: ReactNode
  onRetry?: (() => void) | undefined
  wholePage?: boolean | undefined
}

/** Shows what happened and what to do. */
export function ErrorMessage({ message, requestId, onRetry, wholePage }: Props) {
  return (
    <div role="alert">
      <EmptyState
        wholePage={wholePage ?? false}
        icon={<IconAlertTriangle size={20} />}
        title="Could not load data"
        action={onRetry && <PlainButton onClick={onRetry}>Try again</PlainButton>}
      >
        {message}
        {requestId && (
          <>
            <br />
            Request ID {requestId}
          </>
        )}
      </EmptyState>
    </div>
  )
}
