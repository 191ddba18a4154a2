import { log } from '../../platform/log.ts'
import { securityEvent } from '../../security-events.ts'

/** Where an attempt or a change came from, as far as it is known; a `ClientInfo` is one. */
export interface Whence {
  /** The whole network address. */
  remote?: string | undefined
  userAgent?: string | undefined
}

/** What a line of the security log says. Never a password, a code, a token, or an e-mail that belongs to no user. */
export interface SecurityLine {
  userId?: string | undefined
  accountId?: string | undefined
  /** As the audit log names actors. */
  actor?: string | undefined
  subject?: string | undefined
  requestId?: string | undefined
  [fact: string]: string | number | boolean | null | undefined | readonly string[]
}

/** Writes the line of an event into the process's log, as `{ security: <event>, address, … }`. What is no security event writes none. */
export function securityLine(event: string, { remote, userAgent }: Whence, facts: SecurityLine): void {
  const level = securityEvent(event)?.level
  if (level) log()[level]({ security: event, address: remote, userAgent: userAgent?.slice(0, 300), ...facts }, `security: ${event}`)
}
