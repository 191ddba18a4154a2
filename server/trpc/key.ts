import { createKey } from '../key/create.ts'
import { listKeys } from '../key/list.ts'
import { revokeKey } from '../key/revoke.ts'
import { rotateKey } from '../key/rotate.ts'
import { createKeyInput, keyIdInput, rotateKeyInput } from '../key/schema.ts'
import { procedure, router } from './init.ts'

export const keyRouter = router({
  list: procedure.query(({ ctx }) => listKeys(ctx.account)),
  create: procedure.input(createKeyInput).mutation(({ ctx, input }) => createKey(ctx.account, input)),
  rotate: procedure.input(rotateKeyInput).mutation(({ ctx, input }) => rotateKey(ctx.account, input)),
  revoke: procedure.input(keyIdInput).mutation(({ ctx, input }) => revokeKey(ctx.account, input)),
})
