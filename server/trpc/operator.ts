import { announce, endAnnouncement, listAnnouncements } from '../modules/backoffice/operator/announcements.ts'
import { installationRenditions } from '../modules/backoffice/operator/installation-status.ts'
import { grantRole, listRoles, operatorLog, requireOperator, revokeRole } from '../modules/backoffice/operator/roles.ts'
import {
  announceInput,
  announcementIdInput,
  changeRoleInput,
  grantRoleInput,
  operatorLogInput,
} from '../modules/backoffice/operator/schema.ts'
import { settingsInForce } from '../modules/backoffice/operator/settings-in-force.ts'
import { installationStatus } from '../modules/backoffice/operator/status.ts'
import { installationTrends } from '../modules/backoffice/operator/trends.ts'
import { reauthenticate } from '../modules/identity/sessions/reauthenticate.ts'
import type { StaffRole } from '../permissions.ts'
import { openProcedure, router, withSecondFactor } from './init.ts'

/** For operators. For every other caller the procedure does not exist, whatever the input. */
const operatorProcedure = openProcedure
  .use(async ({ ctx, next }) => next({ ctx: { operator: await requireOperator(ctx.ownSession ?? ctx.session) } }))
  // After the role check, so that other users learn nothing here.
  .use(withSecondFactor)

/** For role changes: a stolen session must not be enough. */
const roleProcedure = operatorProcedure.input(changeRoleInput).use(async ({ ctx, input, next }) => {
  if (ctx.session) await reauthenticate(ctx.session, ctx.visitor, input.password)
  return next()
})
const granting = (role: StaffRole) =>
  roleProcedure
    .input(grantRoleInput)
    .mutation(({ ctx, input: { email, unverified } }) => grantRole(ctx.operator, { email, unverified, role }))
const revoking = (role: StaffRole) => roleProcedure.mutation(({ ctx, input: { email } }) => revokeRole(ctx.operator, { email, role }))

/** What the console can do. Each procedure has a command of the same name (scripts/operator/commands.ts); a test compares them. */
export const operatorRouter = router({
  status: operatorProcedure.query(({ ctx }) => installationStatus(ctx.operator)),
  trends: operatorProcedure.query(({ ctx }) => installationTrends(ctx.operator)),
  renditions: operatorProcedure.query(({ ctx }) => installationRenditions(ctx.operator)),
  settings: operatorProcedure.query(({ ctx }) => settingsInForce(ctx.operator)),
  listAnnouncements: operatorProcedure.query(({ ctx }) => listAnnouncements(ctx.operator)),
  listSupport: operatorProcedure.query(({ ctx }) => listRoles(ctx.operator)),
  operatorLog: operatorProcedure.input(operatorLogInput).query(({ ctx, input }) => operatorLog(ctx.operator, input)),
  announce: operatorProcedure.input(announceInput).mutation(({ ctx, input }) => announce(ctx.operator, input)),
  endAnnouncement: operatorProcedure.input(announcementIdInput).mutation(({ ctx, input }) => endAnnouncement(ctx.operator, input)),
  grantSupport: granting('support'),
  revokeSupport: revoking('support'),
  grantOperator: granting('operator'),
  revokeOperator: revoking('operator'),
})
