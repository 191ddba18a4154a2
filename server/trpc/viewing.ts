import { previewVideo } from '../playback/preview.ts'
import { videoIdInput } from '../video/schema.ts'
import { viewingReport } from '../viewing/report.ts'
import { viewingInput } from '../viewing/schema.ts'
import { procedure, router } from './init.ts'

export const viewingRouter = router({
  preview: procedure.input(videoIdInput).query(({ ctx, input }) => previewVideo(ctx.account, input)),
  report: procedure.input(viewingInput).query(({ ctx, input }) => viewingReport(ctx.account, input)),
})
