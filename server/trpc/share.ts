import { createShareLink, listShareLinks, revokeShareLink } from '../modules/delivery/sharing/links.ts'
import { createShareInput, shareLinkInput } from '../modules/delivery/sharing/schema.ts'
import { videoIdInput } from '../modules/videos/schema.ts'
import { procedure, router } from './init.ts'

export const shareRouter = router({
  list: procedure.input(videoIdInput).query(({ ctx, input }) => listShareLinks(ctx.account, input)),
  create: procedure.input(createShareInput).mutation(({ ctx, input }) => createShareLink(ctx.account, input)),
  revoke: procedure.input(shareLinkInput).mutation(({ ctx, input }) => revokeShareLink(ctx.account, input)),
})
