import { log } from '../../platform/observe/log.ts'
import { securityEvent } from '../../security-events.ts'

/** Where an attempt or a change came from, as far as known. A `ClientInfo` is one. */
export interface ClientOrigin {
  /** The complete network address. */
  remote?: string | undefined
  userAgent?: string | undefined
}

/** Fields of a line in the security log. Never a password, a code, a token, or an email without a user. */
export interface SecurityLine {
  userId?: string | undefined
  accountId?: string | undefined
  /** As the audit log names actors. */
  actor?: string | undefined
  subject?: string | undefined
  requestId?: string | undefined
  [fact: string]: string | number | boolean | null | undefined | readonly string[]
}

/** Writes an event's line to the process's log, as `{ security: <event>, address, … }`. Writes nothing for other events. */
export function securityLine(event: string, { remote, userAgent }: ClientOrigin, facts: SecurityLine): void {
  const level = securityEvent(event)?.level
  if (level) log()[level]({ security: event, address: remote, userAgent: userAgent?.slice(0, 300), ...facts }, `security: ${event}`)
}
