import { auditChoices } from '../audit/choices.ts'
import { listAudit } from '../audit/list.ts'
import { auditListInput } from '../audit/schema.ts'
import { procedure, router } from './init.ts'

export const auditRouter = router({
  list: procedure.input(auditListInput).query(({ ctx, input }) => listAudit(ctx.account, input)),
  choices: procedure.query(({ ctx }) => auditChoices(ctx.account)),
})
