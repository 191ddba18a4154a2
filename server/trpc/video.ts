import { getForDashboard } from '../video/dashboard-get.ts'
import { listForDashboard } from '../video/dashboard-list.ts'
import { editVideo } from '../video/edit.ts'
import { removeVideo } from '../video/remove.ts'
import { restoreVideo } from '../video/restore.ts'
import { retryVideo } from '../video/retry.ts'
import { dashboardListInput, editVideoInput, videoIdInput } from '../video/schema.ts'
import { watchVideos } from '../video/watch.ts'
import { procedure, router } from './init.ts'

export const videoRouter = router({
  list: procedure.input(dashboardListInput).query(({ ctx, input }) => listForDashboard(ctx.account, input)),
  get: procedure.input(videoIdInput).query(({ ctx, input }) => getForDashboard(ctx.account, input)),
  edit: procedure.input(editVideoInput).mutation(({ ctx, input }) => editVideo(ctx.account, input)),
  retry: procedure.input(videoIdInput).mutation(({ ctx, input }) => retryVideo(ctx.account, input)),
  remove: procedure.input(videoIdInput).mutation(({ ctx, input }) => removeVideo(ctx.account, input)),
  restore: procedure.input(videoIdInput).mutation(({ ctx, input }) => restoreVideo(ctx.account, input)),
  watch: procedure.subscription(({ ctx, signal }) => watchVideos(ctx.account, signal ?? new AbortController().signal)),
})
