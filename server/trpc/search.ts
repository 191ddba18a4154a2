import { find } from '../search/find.ts'
import { searchInput } from '../search/schema.ts'
import { procedure, router } from './init.ts'

export const searchRouter = router({
  find: procedure.input(searchInput).query(({ ctx, input }) => find(ctx.account, input)),
})
