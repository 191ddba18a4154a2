import { getForDashboard } from '../modules/dashboard/get-video.ts'
import { listForDashboard } from '../modules/dashboard/list-videos.ts'
import { watchVideos } from '../modules/dashboard/watch-videos.ts'
import { createDownload } from '../modules/delivery/downloads/create-download.ts'
import { videoDownloadInput } from '../modules/delivery/downloads/schema.ts'
import { posterAt } from '../modules/delivery/playlists/poster-at.ts'
import { getPictures } from '../modules/delivery/playlists/video-pictures.ts'
import { endPlayback } from '../modules/delivery/sessions/ends.ts'
import { videoViewers } from '../modules/delivery/sessions/viewers.ts'
import { posterAtInput, thumbnailInput } from '../modules/transcoding/pictures/pictures-schema.ts'
import { getProcessing } from '../modules/transcoding/tasks/read-processing.ts'
import { requestReencode } from '../modules/transcoding/tasks/reencode.ts'
import { generateCaptions } from '../modules/transcoding/transcripts/generate-captions.ts'
import { generateCaptionsInput } from '../modules/transcoding/transcripts/transcript-schema.ts'
import { getWatchedEncodings } from '../modules/transcoding/watched-encodings.ts'
import { cancelReplacement } from '../modules/uploads/replace-source.ts'
import { putCaptions, removeCaptions } from '../modules/videos/captions/captions.ts'
import { editVideo, setMetadata } from '../modules/videos/edit-video.ts'
import { dashboardListInput } from '../modules/videos/list/list-schema.ts'
import { setMetadataInput } from '../modules/videos/metadata-schema.ts'
import { choosePoster, uploadPoster } from '../modules/videos/poster.ts'
import { removeVideo, restoreVideo, retryVideo } from '../modules/videos/remove.ts'
import {
  choosePosterInput,
  editVideoInput,
  putCaptionsInput,
  removeCaptionsInput,
  uploadPosterInput,
  videoIdInput,
} from '../modules/videos/schema.ts'
import { videoLog } from '../modules/videos/video-log.ts'
import { procedure, router } from './init.ts'

export const videoRouter = router({
  list: procedure.input(dashboardListInput).query(({ ctx, input }) => listForDashboard(ctx.account, input)),
  get: procedure.input(videoIdInput).query(({ ctx, input }) => getForDashboard(ctx.account, input)),
  processing: procedure.input(videoIdInput).query(({ ctx, input }) => getProcessing(ctx.account, input)),
  watchedEncodings: procedure.input(videoIdInput).query(({ ctx, input }) => getWatchedEncodings(ctx.account, input)),
  log: procedure.input(videoIdInput).query(({ ctx, input }) => videoLog(ctx.account, input)),
  viewers: procedure.input(videoIdInput).query(({ ctx, input }) => videoViewers(ctx.account, input)),
  thumbnail: procedure
    .input(thumbnailInput)
    .query(async ({ ctx, input }) => ({ url: (await getPictures(ctx.account, { ...input, format: 'jpeg' })).thumbnail })),
  posterAt: procedure.input(posterAtInput).mutation(({ ctx, input }) => posterAt(ctx.account, input)),
  choosePoster: procedure.input(choosePosterInput).mutation(({ ctx, input }) => choosePoster(ctx.account, input)),
  uploadPoster: procedure
    .input(uploadPosterInput)
    .mutation(({ ctx, input }) => uploadPoster(ctx.account, { ...input, image: Buffer.from(input.image, 'base64') })),
  putCaptions: procedure.input(putCaptionsInput).mutation(({ ctx, input }) => putCaptions(ctx.account, input)),
  generateCaptions: procedure.input(generateCaptionsInput).mutation(({ ctx, input }) => generateCaptions(ctx.account, input)),
  removeCaptions: procedure.input(removeCaptionsInput).mutation(({ ctx, input }) => removeCaptions(ctx.account, input)),
  setMetadata: procedure.input(setMetadataInput).mutation(({ ctx, input }) => setMetadata(ctx.account, input)),
  edit: procedure.input(editVideoInput).mutation(({ ctx, input }) => editVideo(ctx.account, input)),
  cancelReplacement: procedure.input(videoIdInput).mutation(async ({ ctx, input }) => void (await cancelReplacement(ctx.account, input))),
  reencode: procedure.input(videoIdInput).mutation(({ ctx, input }) => requestReencode(ctx.account, input)),
  retry: procedure.input(videoIdInput).mutation(({ ctx, input }) => retryVideo(ctx.account, input)),
  remove: procedure.input(videoIdInput).mutation(async ({ ctx, input }) => void (await removeVideo(ctx.account, input))),
  restore: procedure.input(videoIdInput).mutation(async ({ ctx, input }) => void (await restoreVideo(ctx.account, input))),
  download: procedure.input(videoDownloadInput).mutation(({ ctx, input }) => createDownload(ctx.account, input)),
  endPlayback: procedure.input(videoIdInput).mutation(({ ctx, input }) => endPlayback(ctx.account, input)),
  watch: procedure.subscription(({ ctx, signal }) => watchVideos(ctx.account, signal ?? new AbortController().signal)),
})
