import { renameKey, restrictKey } from '../modules/access/keys/change-key.ts'
import { createKey } from '../modules/access/keys/create-key.ts'
import { disableKey, enableKey, revokeKey } from '../modules/access/keys/end-key.ts'
import { rotateKey } from '../modules/access/keys/rotate-key.ts'
import {
  createKeyInput,
  keyIdInput,
  renameKeyInput,
  restrictKeyInput,
  rotateKeyInput,
  setScopesInput,
} from '../modules/access/keys/schema.ts'
import { setKeyScopes } from '../modules/access/keys/set-scopes.ts'
import { getKey } from '../modules/dashboard/get-key.ts'
import { listKeys } from '../modules/dashboard/list-keys.ts'
import { endPlayback } from '../modules/delivery/sessions/ends.ts'
import { procedure, router } from './init.ts'

export const keyRouter = router({
  list: procedure.query(({ ctx }) => listKeys(ctx.account)),
  get: procedure.input(keyIdInput).query(({ ctx, input }) => getKey(ctx.account, input)),
  create: procedure.input(createKeyInput).mutation(({ ctx, input }) => createKey(ctx.account, ctx.visitor, input)),
  rename: procedure.input(renameKeyInput).mutation(({ ctx, input }) => renameKey(ctx.account, input)),
  restrict: procedure.input(restrictKeyInput).mutation(({ ctx, input }) => restrictKey(ctx.account, input)),
  setScopes: procedure.input(setScopesInput).mutation(({ ctx, input }) => setKeyScopes(ctx.account, ctx.visitor, input)),
  rotate: procedure.input(rotateKeyInput).mutation(({ ctx, input }) => rotateKey(ctx.account, ctx.visitor, input)),
  disable: procedure.input(keyIdInput).mutation(({ ctx, input }) => disableKey(ctx.account, input)),
  enable: procedure.input(keyIdInput).mutation(({ ctx, input }) => enableKey(ctx.account, input)),
  revoke: procedure.input(keyIdInput).mutation(({ ctx, input }) => revokeKey(ctx.account, input)),
  endPlayback: procedure.input(keyIdInput).mutation(({ ctx, input }) => endPlayback(ctx.account, input)),
})
