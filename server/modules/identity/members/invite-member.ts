import type { AccountCtx } from '../../../context.ts'
import { proveSecondFactor } from '../sessions/prove-second-factor.ts'
import type { ClientInfo } from '../sign-in/client-ip.ts'
import type { InviteMemberInput } from '../sign-in/schema.ts'
import { type Invited, invite, requireInvitable } from './invite.ts'

/**
 * Invites an e-mail like `invite`. Requires the second factor of a member who has one: an invitation gives access to the account beyond the
 * end of a stolen session. Errors: those of `invite`, INVALID_REQUEST at `code`, TOO_MANY_ATTEMPTS.
 */
export async function inviteMember(ctx: AccountCtx, visitor: ClientInfo, { code, ...input }: InviteMemberInput): Promise<Invited> {
  // A code works once, so it is not asked for before a refusal for another reason.
  await requireInvitable(ctx, input)
  await proveSecondFactor(ctx, visitor, code)
  return invite(ctx, input)
}
