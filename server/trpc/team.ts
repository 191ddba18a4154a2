import { setSecondFactorRequired } from '../modules/identity/accounts/require-second-factor.ts'
import { acceptInvitation } from '../modules/identity/members/accept-invitation.ts'
import { changeRole } from '../modules/identity/members/change-role.ts'
import { getInvitation } from '../modules/identity/members/get-invitation.ts'
import { inviteMember } from '../modules/identity/members/invite-member.ts'
import { joinAsNewUser } from '../modules/identity/members/join-account.ts'
import { leaveAccount } from '../modules/identity/members/leave-account.ts'
import { listTeam } from '../modules/identity/members/list-members.ts'
import {
  acceptInput,
  changeRoleInput,
  invitationIdInput,
  memberInput,
  requireSecondFactorInput,
  switchAccountInput,
} from '../modules/identity/members/member-schema.ts'
import { removeMember } from '../modules/identity/members/remove-member.ts'
import { revokeInvitation } from '../modules/identity/members/revoke-invitation.ts'
import { switchAccount } from '../modules/identity/sessions/switch-account.ts'
import { inviteMemberInput, joinInput } from '../modules/identity/sign-in/schema.ts'
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
