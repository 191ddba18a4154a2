import { bulkInput, startBulkInput } from '../modules/dashboard/library/bulk-schema.ts'
import { countVideos } from '../modules/dashboard/library/export-videos.ts'
import { savedFilterInput, saveFilterInput } from '../modules/dashboard/library/filter-schema.ts'
import { bulkProblems, cancelBulk, listBulk } from '../modules/dashboard/library/read-bulk.ts'
import { listFilters, removeFilter, saveFilter } from '../modules/dashboard/library/saved-filters.ts'
import { startBulk, undoBulk } from '../modules/dashboard/library/start-bulk.ts'
import { listSelection } from '../modules/videos/list/list-schema.ts'
import { procedure, router } from './init.ts'

export const libraryRouter = router({
  count: procedure.input(listSelection).query(({ ctx, input }) => countVideos(ctx.account, input)),
  bulk: procedure.query(({ ctx }) => listBulk(ctx.account)),
  problems: procedure.input(bulkInput).query(({ ctx, input }) => bulkProblems(ctx.account, input)),
  start: procedure.input(startBulkInput).mutation(({ ctx, input }) => startBulk(ctx.account, input)),
  undo: procedure.input(bulkInput).mutation(({ ctx, input }) => undoBulk(ctx.account, input)),
  cancel: procedure.input(bulkInput).mutation(({ ctx, input }) => cancelBulk(ctx.account, input)),
  filters: procedure.query(({ ctx }) => listFilters(ctx.account)),
  saveFilter: procedure.input(saveFilterInput).mutation(({ ctx, input }) => saveFilter(ctx.account, input)),
  removeFilter: procedure.input(savedFilterInput).mutation(({ ctx, input }) => removeFilter(ctx.account, input)),
})
