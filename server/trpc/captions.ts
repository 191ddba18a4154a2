import {
  captionVersionInput,
  discardDraftInput,
  editorInput,
  publishDraftInput,
  saveDraftInput,
} from '../modules/videos/captions/draft-schema.ts'
import { discardDraft, publishDraft, saveDraft } from '../modules/videos/captions/drafts.ts'
import { captionVersion, openEditor } from '../modules/videos/captions/editor.ts'
import { procedure, router } from './init.ts'

/** The captions editor. */
export const captionsRouter = router({
  editor: procedure.input(editorInput).query(({ ctx, input }) => openEditor(ctx.account, input)),
  version: procedure.input(captionVersionInput).query(({ ctx, input }) => captionVersion(ctx.account, input)),
  saveDraft: procedure.input(saveDraftInput).mutation(({ ctx, input }) => saveDraft(ctx.account, input)),
  discardDraft: procedure.input(discardDraftInput).mutation(({ ctx, input }) => discardDraft(ctx.account, input)),
  publishDraft: procedure.input(publishDraftInput).mutation(({ ctx, input }) => publishDraft(ctx.account, input)),
})
