import { listUploads } from '../modules/dashboard/list-uploads.ts'
import { uploadIdInput, uploadListInput } from '../modules/dashboard/uploads-schema.ts'
import { cancelDirectUpload } from '../modules/uploads/direct/cancel-direct.ts'
import { importAgainInput } from '../modules/uploads/import/import-again-schema.ts'
import { importVideoInput } from '../modules/uploads/import/import-schema.ts'
import { importAgain, importVideo } from '../modules/uploads/import/import-video.ts'
import { procedure, router } from './init.ts'

export const uploadRouter = router({
  list: procedure.input(uploadListInput).query(({ ctx, input }) => listUploads(ctx.account, input)),
  import: procedure.input(importVideoInput).mutation(async ({ ctx, input }) => (await importVideo(ctx.account, input)).upload),
  importAgain: procedure.input(importAgainInput).mutation(({ ctx, input }) => importAgain(ctx.account, input)),
  cancel: procedure.input(uploadIdInput).mutation(async ({ ctx, input }) => void (await cancelDirectUpload(ctx.account, input))),
})
