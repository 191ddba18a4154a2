import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { EmptyState } from './EmptyState'
import { IdChip } from './IdChip'

/** Shows what happened, what to do, and the id under which the server's log has the details. */
export function ErrorState({
  message,
  requestId,
  onRetry,
  wholePage,
}: {
  message: string
  requestId?: string
  onRetry?: () => void
  wholePage?: boolean
}) {
  return (
    <div role="alert">
      <EmptyState
        wholePage={wholePage}
        icon={<IconAlertTriangle size={20} />}
        title="Could not load data"
        action={
          onRetry && (
            <Button variant="default" onClick={onRetry}>
              Try again
            </Button>
          )
        }
      >
        {message}
        {requestId && (
          <>
            <br />
            Request ID <IdChip id={requestId} full />
          </>
        )}
      </EmptyState>
    </div>
  )
}
