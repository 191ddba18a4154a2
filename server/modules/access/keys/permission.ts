import { type AccountCtx, requirePermission } from '../../../context.ts'

/** Throws FORBIDDEN unless the actor may create and revoke keys. */
export const requireKeyManagement = (ctx: AccountCtx): void => requirePermission(ctx, 'keys.change')
