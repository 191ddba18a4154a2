import { listAudit } from '../modules/audit/list.ts'
import { auditFilterOptions } from '../modules/audit/read.ts'
import { auditListInput } from '../modules/audit/schema.ts'
import { procedure, router } from './init.ts'

export const auditRouter = router({
  list: procedure.input(auditListInput).query(({ ctx, input }) => listAudit(ctx.account, input)),
  choices: procedure.query(({ ctx }) => auditFilterOptions(ctx.account)),
})
