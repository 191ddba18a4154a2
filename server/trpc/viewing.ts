import { deliveredReport } from '../modules/analytics/delivered-report.ts'
import { viewersInput } from '../modules/analytics/viewer-schema.ts'
import { viewersReport } from '../modules/analytics/viewers-report.ts'
import { viewingReport } from '../modules/analytics/viewing-report.ts'
import { viewingInput } from '../modules/analytics/viewing-schema.ts'
import { previewVideo } from '../modules/playback/preview.ts'
import { liveVideos } from '../modules/playback/viewers.ts'
import { videoIdInput } from '../modules/videos/schema.ts'
import { procedure, router } from './init.ts'

export const viewingRouter = router({
  preview: procedure.input(videoIdInput).query(({ ctx, input }) => previewVideo(ctx.account, input)),
  report: procedure.input(viewingInput).query(({ ctx, input }) => viewingReport(ctx.account, input)),
  viewers: procedure.input(viewersInput).query(({ ctx, input }) => viewersReport(ctx.account, input)),
  delivered: procedure.input(viewersInput).query(({ ctx, input }) => deliveredReport(ctx.account, input)),
  live: procedure.query(({ ctx }) => liveVideos(ctx.account)),
})
