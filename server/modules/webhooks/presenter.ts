import type { EventType } from '../../events.ts'
import type { DisabledWhy } from './state.ts'

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
  disabledWhy: DisabledWhy | null
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
  disabledWhy: true,
  previousUntil: true,
} as const

type Row = Omit<ListedEndpoint, 'events' | 'disabledWhy'> & { events: string[]; disabledWhy: string | null }

export const listedEndpoint = (row: Row): ListedEndpoint => ({
  ...row,
  events: row.events as EventType[],
  disabledWhy: row.disabledWhy as DisabledWhy | null,
})
