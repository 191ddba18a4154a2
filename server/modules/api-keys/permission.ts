import { type AccountCtx, demand } from '../../context.ts'

/** Throws FORBIDDEN unless the actor may create and revoke keys. */
export const manages = (ctx: AccountCtx): void => demand(ctx, 'keys.change')
