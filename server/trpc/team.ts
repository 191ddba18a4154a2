import { setSecondFactorRequired } from '../modules/identity/accounts/change-account.ts'
import { inviteMember } from '../modules/identity/members/invite.ts'
import {
  acceptInput,
  changeRoleInput,
  invitationIdInput,
  memberInput,
  requireSecondFactorInput,
  switchAccountInput,
} from '../modules/identity/members/member-schema.ts'
import { changeRole, leaveAccount, listTeam, removeMember } from '../modules/identity/members/members.ts'
import { acceptInvitation, getInvitation, joinAsNewUser, revokeInvitation } from '../modules/identity/members/open-invitation.ts'
import { switchAccount } from '../modules/identity/sessions/sessions.ts'
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
  // A link's secret must not appear in a URL, so it is sent in the body.
  getInvitation: openProcedure.input(acceptInput).mutation(({ input }) => getInvitation(input)),
  join: openProcedure.input(joinInput).mutation(({ ctx, input }) => joinAsNewUser(ctx.visitor, input)),
  switchAccount: personProcedure.input(switchAccountInput).mutation(({ ctx, input }) => switchAccount(ctx.account, input)),
})
