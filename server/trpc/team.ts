import { acceptInvitation } from '../team/accept.ts'
import { changeRole } from '../team/change-role.ts'
import { invite } from '../team/invite.ts'
import { joinAsNew } from '../team/join-new.ts'
import { leave } from '../team/leave.ts'
import { listTeam } from '../team/list.ts'
import { removeMember } from '../team/remove.ts'
import { revokeInvitation } from '../team/revoke-invitation.ts'
import { acceptInput, changeRoleInput, invitationIdInput, inviteInput, joinInput, memberInput, switchAccountInput } from '../team/schema.ts'
import { switchAccount } from '../team/switch-account.ts'
import { openProcedure, procedure, router } from './init.ts'

export const teamRouter = router({
  list: procedure.query(({ ctx }) => listTeam(ctx.account)),
  invite: procedure.input(inviteInput).mutation(({ ctx, input }) => invite(ctx.account, input)),
  revokeInvitation: procedure.input(invitationIdInput).mutation(({ ctx, input }) => revokeInvitation(ctx.account, input)),
  changeRole: procedure.input(changeRoleInput).mutation(({ ctx, input }) => changeRole(ctx.account, input)),
  remove: procedure.input(memberInput).mutation(({ ctx, input }) => removeMember(ctx.account, input)),
  leave: procedure.mutation(({ ctx }) => leave(ctx.account)),
  accept: procedure.input(acceptInput).mutation(({ ctx, input }) => acceptInvitation(ctx.account, input)),
  join: openProcedure.input(joinInput).mutation(({ ctx, input }) => joinAsNew(ctx.visitor, input)),
  switchAccount: procedure.input(switchAccountInput).mutation(({ ctx, input }) => switchAccount(ctx.account, input)),
})
