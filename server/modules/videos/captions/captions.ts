import type { z } from 'zod'
import { type AccountCtx, actorName } from '../../../context.ts'
import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { NOT_TEXT } from '../../../platform/text/text-file.ts'
import { record } from '../../audit/record.ts'
import { requireStorage } from '../../identity/accounts/storage.ts'
import { uniqueName } from '../edit-video.ts'
import { nameOfContent, readExtra, removeUnnamedExtras, storeExtra } from '../extras.ts'
import { getVideo } from '../get.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../owned-video.ts'
import { type captions, MAX_CAPTION_LANGUAGES, type PutCaptionsInput, type RemoveCaptionsInput } from '../schema.ts'
import { convertCaptions } from './captions-convert.ts'

interface Added {
  videoId: string
  language: string
  /** If empty, or used by other captions: the language's own name, with a number if that is used as well. */
  label: string
  /** As `captionsOf` returns them. */
  body: Uint8Array
  cues: number
}

/**
 * Adds the source's captions in a language that has none. Safe to repeat. `tx` holds the video. Returns `kept` if the language has other
 * captions, and `full` if the video has captions in the maximum number of languages.
 */
export async function addCaptions(tx: Tx, { videoId, language, label, body, cues }: Added): Promise<'added' | 'kept' | 'full'> {
  const before = await tx.caption.findMany({ where: { videoId }, select: { language: true, name: true, label: true } })
  const same = before.find((one) => one.language === language)
  if (!same && before.length >= MAX_CAPTION_LANGUAGES) return 'full'
  if (same) return same.name === nameOfContent(body) ? 'added' : 'kept'
  const taken = new Set(before.map((one) => one.label))
  const name = await storeExtra(videoId, body)
  const fields = {
    label: label && !taken.has(label) ? label : uniqueName(nativeName(language), taken),
    name,
    cues,
    bytes: body.byteLength,
  }
  await tx.caption.create({ data: { videoId, language, fromSource: true, ...fields } })
  return 'added'
}

interface Generated {
  videoId: string
  language: string
  /** As `captionsOf` returns them. */
  body: Uint8Array
  cues: number
  /** Whether to replace captions that a person edited. */
  replacesEdited: boolean
}

/** Why generated captions do not take a place: of captions that a person uploaded or edited, or because there are too many. */
export type GeneratedOutcome = 'stored' | 'uploaded' | 'edited' | 'full'

/** Returns whether captions in a language may be generated. `tx` holds the video. */
export async function mayGenerate(
  tx: Pick<Tx, 'caption'>,
  { videoId, language, replacesEdited }: Pick<Generated, 'videoId' | 'language' | 'replacesEdited'>,
): Promise<GeneratedOutcome> {
  const all = await tx.caption.findMany({ where: { videoId }, select: { language: true, generated: true, edited: true } })
  const same = all.find((one) => one.language === language)
  if (!same) return all.length >= MAX_CAPTION_LANGUAGES ? 'full' : 'stored'
  if (!same.generated) return 'uploaded'
  return same.edited && !replacesEdited ? 'edited' : 'stored'
}

/** Stores captions that were made from the speech of a video, in place of earlier such captions. They keep the label. `tx` holds the video. */
export async function storeGenerated(tx: Tx, generated: Generated): Promise<GeneratedOutcome> {
  const { videoId, language, body, cues } = generated
  const outcome = await mayGenerate(tx, generated)
  if (outcome !== 'stored') return outcome
  const others = await tx.caption.findMany({ where: { videoId, language: { not: language } }, select: { label: true } })
  const label = uniqueName(nativeName(language), new Set(others.map((one) => one.label)))
  const marks = { generated: true, edited: false, fromSource: false, changedBy: null }
  const fields = { name: await storeExtra(videoId, body), cues, bytes: body.byteLength, ...marks }
  await tx.caption.upsert({
    where: { videoId_language: { videoId, language } },
    create: { videoId, language, label, ...fields },
    update: fields,
  })
  return outcome
}

/** Whether captions were made from speech, and whether a person changed them since. */
export interface CaptionMarks {
  generated: boolean
  edited: boolean
}

interface PutCaptions extends Omit<PutCaptionsInput, 'text' | 'generated' | 'edited'> {
  text: string | Uint8Array
}

export interface StoredCaptions {
  language: string
  label: string
  cues: number
  /** With `expected`: their name, and what they replaced if there was something. */
  name?: string
  replaced?: RemovedCaptions
}

/**
 * Stores captions in one language, replacing existing ones: a text, or a file as received. Converts SRT to WebVTT. Returns them with the
 * number of cues, and with those they replaced if `expected` is given. Errors: FORBIDDEN, VIDEO_NOT_FOUND, INVALID_REQUEST with a message for
 * a file that is not text or has no cues, or for one language too many, PAYLOAD_TOO_LARGE, TOO_MANY_ATTEMPTS and STORAGE_FULL for exhausted
 * storage, CONFLICT if replaced since `expected` (`details.captions` has the current ones).
 */
export const putCaptions = (
  ctx: AccountCtx,
  { generated = false, edited = false, ...put }: PutCaptions & Partial<CaptionMarks>,
): Promise<StoredCaptions> => storeCaptions(ctx, put, async () => ({ generated, edited }))

/**
 * Stores captions as `putCaptions` does. `begin` is called first in the transaction, which holds the video, with the name of the text, and
 * returns its marks.
 */
export async function storeCaptions(
  ctx: AccountCtx,
  { videoId, language, label, text, expected }: PutCaptions,
  begin: (tx: Tx, name: string) => Promise<CaptionMarks>,
): Promise<StoredCaptions> {
  requireVideoManagement(ctx)
  await db().$transaction((tx) => getOwnedVideoForUpdate(tx, ctx, videoId))
  const converted = await convertCaptions({ content: text })
  if ('refused' in converted) throw converted.refused === 'too long' ? new ServiceError('PAYLOAD_TOO_LARGE') : invalidField('', NOT_TEXT)
  const { body, cues } = converted
  if (cues === 0) throw invalidField('text', 'This file contains no captions. Choose a WebVTT or SRT file.')
  await requireStorage(ctx, body.byteLength)
  const stored = { language, label: label || nativeName(language), cues }
  const change = db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    const name = await storeExtra(videoId, body)
    const marks = await begin(tx, name)
    const fields = { label: stored.label, name, cues, bytes: body.byteLength, changedBy: actorName(ctx.actor), ...marks }
    const select = { language: true, name: true, label: true, cues: true, generated: true, edited: true }
    const before = await tx.caption.findMany({ where: { videoId }, select })
    const same = before.find((one) => one.language === language)
    const repeated = same?.name === name && same.label === fields.label
    if (expected !== undefined && !repeated && (same?.name !== expected?.name || same?.label !== expected?.label))
      throw changedMeanwhile({ captions: shownOf(same) })
    if (!same && before.length >= MAX_CAPTION_LANGUAGES) throw tooManyLanguages()
    await tx.caption.upsert({
      where: { videoId_language: { videoId, language } },
      create: { videoId, language, ...fields },
      update: { ...fields, fromSource: false },
    })
    await record(tx, ctx, {
      action: 'video.captions',
      subject: videoId,
      ...(same && { before: { language, label: same.label, cues: same.cues } }),
      after: stored,
    })
    return { same, name }
  })
  try {
    const { same, name } = await change
    if (expected === undefined) return stored
    return { ...stored, name, ...(same && { replaced: await contentOf(videoId, same) }) }
  } finally {
    await removeUnnamedExtras(ctx, videoId)
  }
}

export const tooManyLanguages = () => invalidField('language', `A video can have captions in at most ${MAX_CAPTION_LANGUAGES} languages.`)

const shownOf = (one: { language: string; name: string; label: string; cues: number } | undefined) =>
  one ? { language: one.language, name: one.name, label: one.label, cues: one.cues } : null

const invalidField = (path: string, message: string) =>
  new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'body', path, message }] })

/** Returns a language's name in that language, without the private part of a tag. */
export function nativeName(tag: string): string {
  const [language = tag] = tag.split('-x-', 1)
  if (language === 'und') return 'Subtitles'
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  return (name.charAt(0).toLocaleUpperCase(language) + name.slice(1)).replaceAll('"', '')
}

/** Returns a language's name in English, for sentences. */
export const englishName = (tag: string): string => new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag

/** Removed or replaced captions, to put back. */
export interface RemovedCaptions {
  label: string
  /** WebVTT. Null if it could no longer be read. */
  text: string | null
  generated: boolean
  edited: boolean
}

/**
 * Removes a video's captions in one language, and returns them; a version of them stays. Errors: FORBIDDEN, VIDEO_NOT_FOUND,
 * CAPTIONS_NOT_FOUND if it has none in this language.
 */
export async function removeCaptions(ctx: AccountCtx, { videoId, language }: RemoveCaptionsInput): Promise<RemovedCaptions> {
  requireVideoManagement(ctx)
  const removed = await db().$transaction(async (tx) => {
    await getOwnedVideoForUpdate(tx, ctx, videoId)
    const found = await tx.caption.findUnique({
      where: { videoId_language: { videoId, language } },
      select: { label: true, name: true, generated: true, edited: true },
    })
    if (!found) throw new ServiceError('CAPTIONS_NOT_FOUND')
    await tx.caption.delete({ where: { videoId_language: { videoId, language } } })
    await record(tx, ctx, { action: 'video.captions', subject: videoId, before: { language, label: found.label } })
    return found
  })
  const content = await contentOf(videoId, removed)
  await removeUnnamedExtras(ctx, videoId)
  return content
}

/** Reads captions outside a transaction, whose locks would wait for the store. */
const contentOf = async (
  videoId: string,
  { label, name, generated, edited }: Omit<RemovedCaptions, 'text'> & { name: string },
): Promise<RemovedCaptions> => ({
  ...{ label, generated, edited },
  text: await readExtra(videoId, name).then(String, () => null),
})

type Captions = z.output<typeof captions>

/** Returns a video's captions by language. A fixture has none. Errors: as `getVideo`. */
export async function listCaptions(ctx: AccountCtx, { videoId }: { videoId: string }): Promise<Captions[]> {
  await getVideo(ctx, { videoId })
  const sql = `SELECT language, label, cues, generated, edited FROM caption WHERE video_id = $1 ORDER BY language COLLATE "C"`
  return query<Captions & Record<string, unknown>>('captions-of-video', sql, [videoId])
}

/** Returns the tag of the captions with this number in one language: `en`, then `en-x-2`, a private-use subtag (RFC 5646 §2.2.7). */
export const captionTag = (language: string, number: number): string => (number === 1 ? language : `${language}-x-${number}`)

/** Returns the primary language of a BCP 47 tag: `pt` of `pt-BR`. */
export const baseOf = (tag: string | null): string | undefined => tag?.split('-')[0]?.toLowerCase()

/** Returns the language of captions with this tag, without the number from `captionTag`. */
export const languageOf = (tag: string): string => tag.replace(/-x-\d+$/, '')
