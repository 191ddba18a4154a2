import { find } from '../modules/dashboard/search.ts'
import { searchInput } from '../modules/dashboard/search-schema.ts'
import { procedure, router } from './init.ts'

export const searchRouter = router({
  find: procedure.input(searchInput).query(({ ctx, input }) => find(ctx.account, input)),
})
