import type { AccountCtx } from '../context.ts'
import { ServiceError } from '../errors.ts'

/** Throws FORBIDDEN unless the actor may create and revoke keys: owners and developers may, viewers and keys may not. */
export function manages(ctx: AccountCtx): void {
  if (ctx.actor.kind !== 'user' || ctx.actor.role === 'VIEWER') throw new ServiceError('FORBIDDEN')
}
