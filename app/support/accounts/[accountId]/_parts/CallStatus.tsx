import { StatusBadge } from '../../../../_ui/StatusBadge'

/** How a call was answered: its status, and of an error the code. */
export function CallStatus({ status, code }: { status: number; code: string | null }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
  return (
    <StatusBadge tone={tone}>
      {status}
      {code && ` ${code}`}
    </StatusBadge>
  )
}
