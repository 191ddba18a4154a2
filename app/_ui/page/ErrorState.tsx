import { ErrorMessage } from '../ErrorMessage'
import { IdChip } from '../IdChip'

interface Props {
  message: string
  requestId?: string | undefined
  onRetry?: (() => void) | undefined
}

/** Shows what happened, what to do, and the id under which the server's log has the details, which a click copies. */
export const ErrorState = ({ requestId, ...said }: Props) => (
  <ErrorMessage {...said} requestId={requestId && <IdChip id={requestId} full />} />
)
