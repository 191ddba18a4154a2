import type { EventType } from '../../../events.ts'
import type { DisabledReason, RetrySchedule } from './state.ts'

/** An endpoint as the dashboard shows it; contains no secret. */
export interface ListedEndpoint {
  id: string
  url: string
  description: string
  events: EventType[]
  retrySchedule: RetrySchedule
  createdAt: Date
  /** Time of the first failure since the last success. */
  failingSince: Date | null
  disabledAt: Date | null
  disabledReason: DisabledReason | null
  /** End of the rotation overlap, during which the previous secret signs as well. */
  previousUntil: Date | null
}

export const ENDPOINT_COLUMNS = {
  id: true,
  url: true,
  description: true,
  events: true,
  retrySchedule: true,
  createdAt: true,
  failingSince: true,
  disabledAt: true,
  disabledReason: true,
  previousUntil: true,
} as const

type Row = Omit<ListedEndpoint, 'events' | 'retrySchedule' | 'disabledReason'> & {
  events: string[]
  retrySchedule: string
  disabledReason: string | null
}

export const listedEndpoint = (row: Row): ListedEndpoint => ({
  ...row,
  events: row.events as EventType[],
  retrySchedule: row.retrySchedule as RetrySchedule,
  disabledReason: row.disabledReason as DisabledReason | null,
})
