import { deliveredReport } from '../modules/analytics/delivered/delivered-report.ts'
import { viewersInput } from '../modules/analytics/viewing/viewer-schema.ts'
import { viewersReport } from '../modules/analytics/viewing/viewers-report.ts'
import { viewingReport } from '../modules/analytics/viewing/viewing-report.ts'
import { viewingInput } from '../modules/analytics/viewing/viewing-schema.ts'
import { previewVideo } from '../modules/delivery/playlists/picture.ts'
import { liveVideos } from '../modules/delivery/sessions/viewers.ts'
import { videoIdInput } from '../modules/videos/schema.ts'
import { procedure, router } from './init.ts'

export const viewingRouter = router({
  preview: procedure.input(videoIdInput).query(({ ctx, input }) => previewVideo(ctx.account, input)),
  report: procedure.input(viewingInput).query(({ ctx, input }) => viewingReport(ctx.account, input)),
  viewers: procedure.input(viewersInput).query(({ ctx, input }) => viewersReport(ctx.account, input)),
  delivered: procedure.input(viewersInput).query(({ ctx, input }) => deliveredReport(ctx.account, input)),
  live: procedure.query(({ ctx }) => liveVideos(ctx.account)),
})
