import type { EventType } from '../../events.ts'
import type { DisabledReason } from './state.ts'

/** An endpoint as the dashboard shows it; contains no secret. */
export interface ListedEndpoint {
  id: string
  url: string
  description: string
  events: EventType[]
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
  createdAt: true,
  failingSince: true,
  disabledAt: true,
  disabledReason: true,
  previousUntil: true,
} as const

type Row = Omit<ListedEndpoint, 'events' | 'disabledReason'> & { events: string[]; disabledReason: string | null }

export const listedEndpoint = (row: Row): ListedEndpoint => ({
  ...row,
  events: row.events as EventType[],
  disabledReason: row.disabledReason as DisabledReason | null,
})
