import { createKey } from '../key/create.ts'
import { disableKey } from '../key/disable.ts'
import { enableKey } from '../key/enable.ts'
import { getKey } from '../key/get.ts'
import { listKeys } from '../key/list.ts'
import { renameKey } from '../key/rename.ts'
import { restrictKey } from '../key/restrict.ts'
import { revokeKey } from '../key/revoke.ts'
import { rotateKey } from '../key/rotate.ts'
import { createKeyInput, keyIdInput, renameKeyInput, restrictKeyInput, rotateKeyInput } from '../key/schema.ts'
import { endPlayback } from '../playback/end.ts'
import { procedure, router } from './init.ts'

export const keyRouter = router({
  list: procedure.query(({ ctx }) => listKeys(ctx.account)),
  get: procedure.input(keyIdInput).query(({ ctx, input }) => getKey(ctx.account, input)),
  create: procedure.input(createKeyInput).mutation(({ ctx, input }) => createKey(ctx.account, input)),
  rename: procedure.input(renameKeyInput).mutation(({ ctx, input }) => renameKey(ctx.account, input)),
  restrict: procedure.input(restrictKeyInput).mutation(({ ctx, input }) => restrictKey(ctx.account, input)),
  rotate: procedure.input(rotateKeyInput).mutation(({ ctx, input }) => rotateKey(ctx.account, input)),
  disable: procedure.input(keyIdInput).mutation(({ ctx, input }) => disableKey(ctx.account, input)),
  enable: procedure.input(keyIdInput).mutation(({ ctx, input }) => enableKey(ctx.account, input)),
  revoke: procedure.input(keyIdInput).mutation(({ ctx, input }) => revokeKey(ctx.account, input)),
  endPlayback: procedure.input(keyIdInput).mutation(({ ctx, input }) => endPlayback(ctx.account, input)),
})
