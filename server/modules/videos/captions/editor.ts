import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { isStorageError } from '../../../platform/storage/storage-error.ts'
import { actorOf, namesOf } from '../../audit/read.ts'
import { readExtra } from '../extras.ts'
import type { CaptionMarks } from './captions.ts'
import type { CaptionsEditor, CaptionsVersion, CaptionVersionInput, EditorInput, VersionKind } from './draft-schema.ts'
import { savedDraft } from './drafts.ts'

const EMPTY = 'WEBVTT\n\n'

/**
 * Returns a video's captions in one language for the editor: their text, the draft and the versions. Errors: VIDEO_NOT_FOUND,
 * SERVICE_UNAVAILABLE for a damaged text.
 */
export async function openEditor(ctx: AccountCtx, input: EditorInput): Promise<CaptionsEditor> {
  for (let reads = 1; ; reads++) {
    const { caption, draft, versions } = await readRows(ctx, input)
    const text = await shownText(input.videoId, { caption, draft, isLast: reads === READS })
    if (text === undefined) continue
    return {
      captions: caption && {
        ...{ name: caption.name, label: caption.label, cues: caption.cues },
        ...{ generated: caption.generated, edited: caption.edited },
      },
      text,
      draft: draft && {
        ...(await savedDraft(db(), ctx, draft)),
        ...{ basedOn: draft.basedOn, isStale: draft.basedOn !== (caption?.name ?? null) },
      },
      versions: await shownVersions(ctx, versions, caption !== null),
    }
  }
}

/** How often rows and text are read before a text counts as lost. */
const READS = 3

interface Texts {
  caption: { name: string } | null
  draft: { name: string } | null
  isLast: boolean
}

/** Returns the text of the draft, or else of the captions. Undefined if a save has removed it since its row was read. */
async function shownText(videoId: string, { caption, draft, isLast }: Texts): Promise<string | undefined> {
  const one = draft ?? caption
  if (!one) return EMPTY
  try {
    return String(await readExtra(videoId, one.name))
  } catch (error) {
    if (!isStorageError(error) || error.code !== 'STORAGE_OBJECT_MISSING') throw error
    if (!isLast) return undefined
    if (!draft) throw error
    // From a backup that was made during a save. The captions are what is left to edit.
    return shownText(videoId, { caption, draft: null, isLast })
  }
}

/** Returns the text of a version, WebVTT. Errors: VIDEO_NOT_FOUND, CAPTIONS_NOT_FOUND if it is no longer kept, SERVICE_UNAVAILABLE. */
export async function captionVersion(ctx: AccountCtx, { number, ...input }: CaptionVersionInput): Promise<{ text: string }> {
  const { versions } = await readRows(ctx, input)
  const found = versions.find((one) => one.number === number)
  if (!found) throw new ServiceError('CAPTIONS_NOT_FOUND', { message: 'This version is no longer kept. Reload the page.' })
  return { text: String(await readExtra(input.videoId, found.name)) }
}

interface VersionRow extends CaptionMarks {
  number: number
  name: string
  label: string
  cues: number
  fromSource: boolean
  changedBy: string | null
  createdAt: Date
}

/** Returns the captions, the draft, and the versions with those that play, newest first. */
async function readRows({ accountId }: AccountCtx, { videoId, language }: EditorInput) {
  const where = { language }
  const video = await db().video.findFirst({
    where: { id: videoId, accountId, deletedAt: null },
    select: { captions: { where }, captionDrafts: { where }, captionVersions: { where, orderBy: { number: 'desc' } } },
  })
  if (!video) throw new ServiceError('VIDEO_NOT_FOUND')
  const [caption = null] = video.captions
  const [draft = null] = video.captionDrafts
  const former: VersionRow[] = video.captionVersions
  const versions = caption ? [{ ...caption, number: (former[0]?.number ?? 0) + 1 }, ...former] : former
  return { caption, draft, versions }
}

async function shownVersions(ctx: AccountCtx, versions: readonly VersionRow[], plays: boolean): Promise<CaptionsVersion[]> {
  const names = await namesOf(
    ctx,
    versions.flatMap(({ changedBy }) => changedBy ?? []),
  )
  return versions.map(({ number, createdAt, changedBy, cues, label, ...marks }, at) => ({
    ...{ number, at: createdAt, cues, label },
    by: changedBy === null ? null : actorOf({ actor: changedBy, actorEmail: null }, names).name,
    kind: kindOf(marks),
    isCurrent: plays && at === 0,
  }))
}

function kindOf({ fromSource, generated, edited }: CaptionMarks & { fromSource: boolean }): VersionKind {
  if (edited) return 'edited'
  if (generated) return 'generated'
  return fromSource ? 'source' : 'uploaded'
}
