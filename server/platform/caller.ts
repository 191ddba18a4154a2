import type { AsyncLocalStorage } from 'node:async_hooks'
import { services } from './container.ts'

/** Whom a request was made for, as far as it was authenticated: for the access log and traces. */
export interface Caller {
  accountId?: string | undefined
}

declare module './container.ts' {
  interface Services {
    callers: AsyncLocalStorage<Caller>
  }
}

/** Runs the handling of a request, in both module graphs, with a record of its caller. */
export const asCaller = <Result>(caller: Caller, work: () => Result): Result => services().callers.run(caller, work)

/** Notes the account of the request that is being handled, if anything observes it. */
export function noteAccount(accountId: string): void {
  const caller = services().callers.getStore()
  if (caller) caller.accountId = accountId
}
