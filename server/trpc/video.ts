import { endPlayback } from '../playback/end.ts'
import { queuePlace } from '../transcode/queue-place.ts'
import { putCaptions } from '../video/captions-put.ts'
import { removeCaptions } from '../video/captions-remove.ts'
import { getForDashboard } from '../video/dashboard-get.ts'
import { listForDashboard } from '../video/dashboard-list.ts'
import { editVideo } from '../video/edit.ts'
import { videoLog } from '../video/log.ts'
import { choosePoster } from '../video/poster-choose.ts'
import { uploadPoster } from '../video/poster-upload.ts'
import { removeVideo } from '../video/remove.ts'
import { restoreVideo } from '../video/restore.ts'
import { retryVideo } from '../video/retry.ts'
import {
  choosePosterInput,
  dashboardListInput,
  editVideoInput,
  putCaptionsInput,
  removeCaptionsInput,
  uploadPosterInput,
  videoIdInput,
} from '../video/schema.ts'
import { watchVideos } from '../video/watch.ts'
import { procedure, router } from './init.ts'

export const videoRouter = router({
  list: procedure.input(dashboardListInput).query(({ ctx, input }) => listForDashboard(ctx.account, input)),
  get: procedure.input(videoIdInput).query(({ ctx, input }) => getForDashboard(ctx.account, input)),
  queuePlace: procedure.input(videoIdInput).query(({ ctx, input }) => queuePlace(ctx.account, input)),
  log: procedure.input(videoIdInput).query(({ ctx, input }) => videoLog(ctx.account, input)),
  choosePoster: procedure.input(choosePosterInput).mutation(({ ctx, input }) => choosePoster(ctx.account, input)),
  uploadPoster: procedure.input(uploadPosterInput).mutation(({ ctx, input }) => uploadPoster(ctx.account, input)),
  putCaptions: procedure.input(putCaptionsInput).mutation(({ ctx, input }) => putCaptions(ctx.account, input)),
  removeCaptions: procedure.input(removeCaptionsInput).mutation(({ ctx, input }) => removeCaptions(ctx.account, input)),
  edit: procedure.input(editVideoInput).mutation(({ ctx, input }) => editVideo(ctx.account, input)),
  retry: procedure.input(videoIdInput).mutation(({ ctx, input }) => retryVideo(ctx.account, input)),
  remove: procedure.input(videoIdInput).mutation(({ ctx, input }) => removeVideo(ctx.account, input)),
  restore: procedure.input(videoIdInput).mutation(({ ctx, input }) => restoreVideo(ctx.account, input)),
  endPlayback: procedure.input(videoIdInput).mutation(({ ctx, input }) => endPlayback(ctx.account, input)),
  watch: procedure.subscription(({ ctx, signal }) => watchVideos(ctx.account, signal ?? new AbortController().signal)),
})
