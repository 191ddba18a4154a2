import { type AccountCtx, actorName } from '../../../context.ts'
import { changedMeanwhile } from '../../../errors.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { isStorageError } from '../../../platform/storage/storage-error.ts'
import { actorOf, namesOf } from '../../audit/read.ts'
import { requireStorage } from '../../identity/accounts/storage.ts'
import { readExtra, removeUnnamedExtras, storeExtra } from '../extras.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../owned-video.ts'
import { MAX_CAPTION_LANGUAGES } from '../schema.ts'
import { type CaptionMarks, type StoredCaptions, storeCaptions, tooManyLanguages } from './captions.ts'
import type { DiscardDraftInput, EditorInput, PublishDraftInput, SaveDraftInput, SavedDraft } from './draft-schema.ts'

interface DraftRow {
  revision: bigint
  basedOn: string | null
  name: string
  changedBy: string
  changedAt: Date
}

/** Returns the draft of captions. `tx` holds the video. */
const draftOf = (tx: Tx, { videoId, language }: EditorInput): Promise<DraftRow | null> =>
  tx.captionDraft.findUnique({ where: { videoId_language: { videoId, language } } })

/** Returns who saved a draft, and when. */
export async function savedDraft(on: Tx, ctx: AccountCtx, { revision, changedBy, changedAt }: DraftRow): Promise<SavedDraft> {
  const { name } = actorOf({ actor: changedBy, actorEmail: null }, await namesOf(ctx, [changedBy], on))
  return { revision: Number(revision), by: name, at: changedAt }
}

/** Returns the draft if it is the one that the editor shows; `revision` 0: none. Throws CONFLICT with `details.draft`, null if it is gone. */
async function requireRevision(tx: Tx, ctx: AccountCtx, shown: EditorInput & { revision: number }): Promise<DraftRow | null> {
  const draft = await draftOf(tx, shown)
  if (Number(draft?.revision ?? 0) === shown.revision) return draft
  throw changedMeanwhile({ draft: draft && (await savedDraft(tx, ctx, draft)) })
}

/**
 * Saves the draft of a video's captions in one language, which the account's members share. Returns its revision. Errors: FORBIDDEN,
 * VIDEO_NOT_FOUND, INVALID_REQUEST for one language too many, TOO_MANY_ATTEMPTS and STORAGE_FULL for exhausted storage, CONFLICT if
 * `revision` is no longer the latest (`details.draft` has the latest, who saved it and when; null if there is no draft).
 */
export async function saveDraft(
  ctx: AccountCtx,
  { videoId, language, text, revision, basedOn }: SaveDraftInput,
): Promise<{ revision: number }> {
  requireVideoManagement(ctx)
  await db().$transaction((tx) => getOwnedVideoForUpdate(tx, ctx, videoId))
  const body = new TextEncoder().encode(text)
  await requireStorage(ctx, body.byteLength)
  const change = db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    const before = await requireRevision(tx, ctx, { videoId, language, revision })
    if (!before) await requireRoom(tx, { videoId, language })
    const name = await storeExtra(videoId, body)
    if (before?.name === name && before.basedOn === basedOn) return { revision: Number(before.revision) }
    const [saved] = await tx.$queryRaw<{ revision: number }[]>`
      INSERT INTO caption_draft (video_id, language, based_on, name, bytes, changed_by)
      VALUES (${videoId}, ${language}, ${basedOn}, ${name}, ${body.byteLength}, ${actorName(ctx.actor)})
      ON CONFLICT (video_id, language) DO UPDATE SET revision = EXCLUDED.revision, based_on = EXCLUDED.based_on, name = EXCLUDED.name,
        bytes = EXCLUDED.bytes, changed_by = EXCLUDED.changed_by, changed_at = EXCLUDED.changed_at
      RETURNING revision::float8`
    return saved as { revision: number }
  })
  return change.finally(() => removeUnnamedExtras(ctx, videoId))
}

/** Drafts count as captions, so that there are not more of them than can be published. */
async function requireRoom(tx: Tx, { videoId, language }: EditorInput): Promise<void> {
  const where = { videoId }
  const select = { language: true }
  const found = [...(await tx.caption.findMany({ where, select })), ...(await tx.captionDraft.findMany({ where, select }))]
  const languages = new Set(found.map((one) => one.language))
  if (!languages.has(language) && languages.size >= MAX_CAPTION_LANGUAGES) throw tooManyLanguages()
}

/** Removes the draft of captions. Does nothing if there is none. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT as `saveDraft`. */
export async function discardDraft(ctx: AccountCtx, { videoId, language, revision }: DiscardDraftInput): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    if (!(await draftOf(tx, { videoId, language }))) return
    await requireRevision(tx, ctx, { videoId, language, revision })
    await tx.captionDraft.delete({ where: { videoId_language: { videoId, language } } })
  })
  await removeUnnamedExtras(ctx, videoId)
}

/**
 * Stores the draft as the captions, and removes it. A text that the captions had before keeps its marks; any other is marked as edited.
 * Returns what `putCaptions` returns. Errors: as `putCaptions`, and CONFLICT as `saveDraft`.
 */
export async function publishDraft(
  ctx: AccountCtx,
  { videoId, language, revision, label, expected }: PublishDraftInput,
): Promise<StoredCaptions> {
  requireVideoManagement(ctx)
  const text = await draftText(ctx, { videoId, language, revision })
  const put = { videoId, language, label: label || expected?.label || '', text, expected }
  return storeCaptions(ctx, put, async (tx, name) => {
    const draft = await requireRevision(tx, ctx, { videoId, language, revision })
    await tx.captionDraft.delete({ where: { videoId_language: { videoId, language } } })
    return marksOf(tx, { videoId, language, name, basedOn: draft?.basedOn ?? null })
  })
}

/** Returns the text of the draft that the editor shows. Errors: as `getOwnedVideoForUpdate`, CONFLICT. */
async function draftText(ctx: AccountCtx, shown: EditorInput & { revision: number }): Promise<string> {
  const read = () =>
    db().$transaction(async (tx) => {
      await getOwnedVideoForUpdate(tx, ctx, shown.videoId)
      const draft = await requireRevision(tx, ctx, shown)
      if (!draft) throw changedMeanwhile({ draft: null })
      return draft
    })
  const { name } = await read()
  try {
    return String(await readExtra(shown.videoId, name))
  } catch (error) {
    // Another save may have removed it in the meantime.
    if (isStorageError(error) && error.code === 'STORAGE_OBJECT_MISSING') await read()
    throw error
  }
}

/** Returns how a published text is marked: as it was when it played before, or else by what it was begun from. */
async function marksOf(
  tx: Tx,
  { videoId, language, name, basedOn }: EditorInput & { name: string; basedOn: string | null },
): Promise<CaptionMarks> {
  const where = { videoId, language }
  const select = { name: true, generated: true, edited: true }
  const texts = [
    ...(await tx.caption.findMany({ where, select })),
    ...(await tx.captionVersion.findMany({ where, select, orderBy: { number: 'desc' } })),
  ]
  const same = texts.find((one) => one.name === name)
  if (same) return { generated: same.generated, edited: same.edited }
  return { generated: texts.find((one) => one.name === basedOn)?.generated ?? false, edited: true }
}
