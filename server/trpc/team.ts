import { changeRole } from '../modules/accounts/change-role.ts'
import { leaveAccount } from '../modules/accounts/leave-account.ts'
import { listTeam } from '../modules/accounts/list-members.ts'
import {
  acceptInput,
  changeRoleInput,
  invitationIdInput,
  memberInput,
  requireSecondFactorInput,
  switchAccountInput,
} from '../modules/accounts/member-schema.ts'
import { removeMember } from '../modules/accounts/remove-member.ts'
import { setSecondFactorRequired } from '../modules/accounts/require-second-factor.ts'
import { revokeInvitation } from '../modules/accounts/revoke-invitation.ts'
import { acceptInvitation } from '../modules/auth/accept-invitation.ts'
import { getInvitation } from '../modules/auth/get-invitation.ts'
import { inviteMember } from '../modules/auth/invite-member.ts'
import { joinAsNewUser } from '../modules/auth/join-account.ts'
import { inviteMemberInput, joinInput } from '../modules/auth/schema.ts'
import { switchAccount } from '../modules/auth/switch-account.ts'
import { openProcedure, personProcedure, procedure, router } from './init.ts'

export const teamRouter = router({
  list: procedure.query(({ ctx }) => listTeam(ctx.account)),
  invite: procedure.input(inviteMemberInput).mutation(({ ctx, input }) => inviteMember(ctx.account, ctx.visitor, input)),
  revokeInvitation: procedure.input(invitationIdInput).mutation(({ ctx, input }) => revokeInvitation(ctx.account, input)),
  changeRole: procedure.input(changeRoleInput).mutation(({ ctx, input }) => changeRole(ctx.account, input)),
  remove: procedure.input(memberInput).mutation(({ ctx, input }) => removeMember(ctx.account, input)),
  requireSecondFactor: procedure.input(requireSecondFactorInput).mutation(({ ctx, input }) => setSecondFactorRequired(ctx.account, input)),
  leave: personProcedure.mutation(({ ctx }) => leaveAccount(ctx.account)),
  accept: personProcedure.input(acceptInput).mutation(({ ctx, input }) => acceptInvitation(ctx.account, input)),
  // A link's secret must not appear in an address, so it is sent in the body.
  getInvitation: openProcedure.input(acceptInput).mutation(({ input }) => getInvitation(input)),
  join: openProcedure.input(joinInput).mutation(({ ctx, input }) => joinAsNewUser(ctx.visitor, input)),
  switchAccount: personProcedure.input(switchAccountInput).mutation(({ ctx, input }) => switchAccount(ctx.account, input)),
})
