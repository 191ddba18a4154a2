import { StatusBadge } from '../../../../_ui/StatusBadge'

/** Shows a call's status, and the code of an error. */
export function CallStatus({ status, code }: { status: number; code: string | null }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
  return (
    <StatusBadge tone={tone}>
      {status}
      {code && ` ${code}`}
    </StatusBadge>
  )
}
