import { StatusBadge } from './StatusBadge'
import type { Tone } from './theme'

/** Shows a call's status, in the colour of its class. */
export function StatusMark({ status }: { status: number }) {
  return <StatusBadge tone={toneOf(status)}>{status}</StatusBadge>
}

function toneOf(status: number): Tone {
  if (status >= 500) return 'bad'
  if (status === 429) return 'warn'
  if (status >= 400) return 'bad'
  return status >= 300 ? 'neutral' : 'good'
}
