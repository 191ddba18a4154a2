import type { AccountCtx } from '../../../context.ts'
import { changedMeanwhile, ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { NOT_TEXT } from '../../../platform/text/text-file.ts'
import { record } from '../../audit/record.ts'
import { requireStorage } from '../../identity/accounts/storage-quota.ts'
import { removeUnnamedExtras, storeExtra } from '../extras.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from '../owned-video.ts'
import { MAX_CAPTION_LANGUAGES, type PutCaptionsInput } from '../schema.ts'
import { convertCaptions } from './captions-convert.ts'

/**
 * Stores captions in one language, replacing existing ones: a text, or a file as it was received. Converts SRT to WebVTT. Returns them with the
 * number of cues. Errors: FORBIDDEN, VIDEO_NOT_FOUND, INVALID_REQUEST with a message for a file that is not text or without cues, or one
 * language too many, PAYLOAD_TOO_LARGE, TOO_MANY_ATTEMPTS and STORAGE_FULL for exhausted storage, CONFLICT when replaced since they were `expected` (`details.captions` has the current ones).
 */
export async function putCaptions(
  ctx: AccountCtx,
  { videoId, language, label, text, expected }: Omit<PutCaptionsInput, 'text'> & { text: string | Uint8Array },
): Promise<{ language: string; label: string; cues: number }> {
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
    const fields = { label: stored.label, name, cues, bytes: body.byteLength }
    const before = await tx.caption.findMany({ where: { videoId }, select: { language: true, name: true, label: true, cues: true } })
    const same = before.find((one) => one.language === language)
    const repeated = same?.name === name && same.label === fields.label
    if (expected !== undefined && !repeated && (same?.name !== expected?.name || same?.label !== expected?.label))
      throw changedMeanwhile({ captions: same ?? null })
    if (!same && before.length >= MAX_CAPTION_LANGUAGES)
      throw invalidField('language', `A video can have captions in at most ${MAX_CAPTION_LANGUAGES} languages.`)
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
  })
  await change.finally(() => removeUnnamedExtras(ctx, videoId))
  return stored
}

const invalidField = (path: string, message: string) =>
  new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'body', path, message }] })

/** Returns a language's name in that language. */
export function nativeName(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  return (name.charAt(0).toLocaleUpperCase(language) + name.slice(1)).replaceAll('"', '')
}
