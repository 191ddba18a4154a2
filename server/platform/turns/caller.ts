import type { AsyncLocalStorage } from 'node:async_hooks'
import { services } from '../container.ts'
import { networksOf } from '../network/client-address.ts'

/** Whom a request was made for, as far as it was authenticated: for the access log, for traces and for the turns that it takes. */
export interface Caller {
  accountId?: string | undefined
  /** The user or the key. */
  member?: string | undefined
  /** The network address. */
  readonly address?: string | undefined
  /** Whose turns it takes, where that is neither its account nor its network. */
  subject?: Subject | undefined
  /** The queue that refused the request, if one did. */
  refusedBy?: string | undefined
}

declare module '../container.ts' {
  interface Services {
    callers: AsyncLocalStorage<Caller>
    lastCaller: LastCaller
  }
}

/** Who did something last, and who had done so before the longest pause: whoever keeps the thread busy does nothing else meanwhile. */
export class LastCaller {
  private last: Caller | undefined
  private at = performance.now()
  private longest = 0
  private before: Caller | undefined

  /** Notes that a caller, or the process itself (undefined), does something at `now`. */
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

/** Who does something, for what observes the event loop. */
export const lastCaller = () => services().lastCaller

/** Runs the handling of a request, in both module graphs, with a record of its caller. */
export function asCaller<Result>(caller: Caller, work: () => Result): Result {
  lastCaller().note(caller)
  return services().callers.run(caller, work)
}

/** Notes the account of the request that is being handled, and which user or key of it asks. */
export function noteAccount(accountId: string, member?: string): void {
  const caller = services().callers.getStore()
  if (!caller) return
  caller.accountId = accountId
  caller.member = member
}

/** Notes which queue refused the request that is being handled. */
export function noteRefusal(queue: string): void {
  const caller = services().callers.getStore()
  if (caller) caller.refusedBy = queue
}

/**
 * Who asks: the group that has a share of its own (an account, or the network of an address), and the one of its members (a user, a key, or
 * an address).
 */
export type Subject = readonly [group: string, member: string]

/** The process's own work, which no caller asked for. */
export const SERVICE: Subject = ['service', '']

/**
 * Does work whose result several callers share as the process's own: in the turn of the caller who began it, the others would wait for that
 * caller's share. Each such piece of work runs once at a time, so that callers cannot multiply it.
 */
export const asService = <Result>(work: () => Result): Result => services().callers.exit(work)

/** Whether the work that is being done is the process's own. */
export const isService = (): boolean => services().callers.getStore() === undefined

/** Returns who asked for the work that is being done: the account, else the network; the service itself outside a request. */
export function currentSubject(): Subject {
  const caller = services().callers.getStore()
  lastCaller().note(caller)
  if (!caller) return SERVICE
  const { accountId, member = '', address = '', subject } = caller
  if (subject) return subject
  return accountId === undefined ? networksOf(address) : [accountId, member]
}
