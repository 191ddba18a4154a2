import { acceptInvitation } from '../team/accept.ts'
import { changeRole } from '../team/change-role.ts'
import { invite } from '../team/invite.ts'
import { joinAsNew } from '../team/join-new.ts'
import { leave } from '../team/leave.ts'
import { listTeam } from '../team/list.ts'
import { showInvitation } from '../team/look.ts'
import { removeMember } from '../team/remove.ts'
import { revokeInvitation } from '../team/revoke-invitation.ts'
import {
  acceptInput,
  changeRoleInput,
  invitationIdInput,
  inviteInput,
  joinInput,
  memberInput,
  requireSecondFactorInput,
  switchAccountInput,
} from '../team/schema.ts'
import { setSecondFactorRequired } from '../team/second-factor.ts'
import { switchAccount } from '../team/switch-account.ts'
import { openProcedure, personProcedure, procedure, router } from './init.ts'

export const teamRouter = router({
  list: procedure.query(({ ctx }) => listTeam(ctx.account)),
  invite: procedure.input(inviteInput).mutation(({ ctx, input }) => invite(ctx.account, input)),
  revokeInvitation: procedure.input(invitationIdInput).mutation(({ ctx, input }) => revokeInvitation(ctx.account, input)),
  changeRole: procedure.input(changeRoleInput).mutation(({ ctx, input }) => changeRole(ctx.account, input)),
  remove: procedure.input(memberInput).mutation(({ ctx, input }) => removeMember(ctx.account, input)),
  requireSecondFactor: procedure.input(requireSecondFactorInput).mutation(({ ctx, input }) => setSecondFactorRequired(ctx.account, input)),
  leave: personProcedure.mutation(({ ctx }) => leave(ctx.account)),
  accept: personProcedure.input(acceptInput).mutation(({ ctx, input }) => acceptInvitation(ctx.account, input)),
  // A link's secret must not stand in an address, so it travels in the body.
  lookAtInvitation: openProcedure.input(acceptInput).mutation(({ input }) => showInvitation(input)),
  join: openProcedure.input(joinInput).mutation(({ ctx, input }) => joinAsNew(ctx.visitor, input)),
  switchAccount: personProcedure.input(switchAccountInput).mutation(({ ctx, input }) => switchAccount(ctx.account, input)),
})
