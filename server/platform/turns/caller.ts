import type { AsyncLocalStorage } from 'node:async_hooks'
import { services } from '../container.ts'
import { networksOf } from '../network/client-address.ts'

/** Whom a request is for, as far as authenticated: for the access log, for traces and for the turns it takes. */
export interface Caller {
  accountId?: string | undefined
  /** The user or the key. */
  member?: string | undefined
  /** The network address. */
  readonly address?: string | undefined
  /** Whose turns it takes, if neither its account's nor its network's. */
  subject?: Subject | undefined
  /** The queue that refused the request, if any. */
  refusedBy?: string | undefined
}

declare module '../container.ts' {
  interface Services {
    callers: AsyncLocalStorage<Caller>
    lastCaller: LastCaller
  }
}

/** Who did something last, and who had before the longest pause: whoever keeps the thread busy does nothing else in that time. */
export class LastCaller {
  private last: Caller | undefined
  private at = performance.now()
  private longest = 0
  private before: Caller | undefined

  /** Notes that a caller, or the process itself (undefined), did something at `now`. */
  note(caller: Caller | undefined, now = performance.now()): void {
    if (now - this.at > this.longest) {
      this.longest = now - this.at
      this.before = this.last
    }
    this.last = caller
    this.at = now
  }

  /** Returns who did something before the longest pause since the previous call. */
  beforeLongestPause(now: number): Caller | undefined {
    this.note(this.last, now)
    const { before } = this
    this.longest = 0
    this.before = undefined
    return before
  }
}

/** Who is doing something, for what observes the event loop. */
export const lastCaller = () => services().lastCaller

/** Handles a request, in both module graphs, with a record of its caller. */
export function asCaller<Result>(caller: Caller, work: () => Result): Result {
  lastCaller().note(caller)
  return services().callers.run(caller, work)
}

/** Returns the network address of the request being handled; empty outside one. */
export const callerAddress = (): string => services().callers.getStore()?.address ?? ''

/** Notes the account of the request being handled, and which of its users or keys is asking. */
export function noteAccount(accountId: string, member?: string): void {
  const caller = services().callers.getStore()
  if (!caller) return
  caller.accountId = accountId
  caller.member = member
}

/** Notes which queue refused the request being handled. */
export function noteRefusal(queue: string): void {
  const caller = services().callers.getStore()
  if (caller) caller.refusedBy = queue
}

/** Who is asking: the group that has its own share (an account, or an address's network), and its member (a user, a key, or an address). */
export type Subject = readonly [group: string, member: string]

/** The process's own work, which no caller asked for. */
export const SERVICE: Subject = ['service', '']

/**
 * Does work whose result several callers share as the process's own. In the turn of the caller who started it, the others would wait for
 * that caller's share. Each such work runs once at a time, so callers cannot multiply it.
 */
export const asService = <Result>(work: () => Result): Result => services().callers.exit(work)

/** Returns whether the current work is the process's own. */
export const isService = (): boolean => services().callers.getStore() === undefined

/** Returns who asked for the current work: the account, else the network. Outside a request, the service itself. */
export function currentSubject(): Subject {
  const caller = services().callers.getStore()
  lastCaller().note(caller)
  if (!caller) return SERVICE
  const { accountId, member = '', address = '', subject } = caller
  if (subject) return subject
  return accountId === undefined ? networksOf(address) : [accountId, member]
}
