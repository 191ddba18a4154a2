import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { NOT_TEXT, textOfFile } from '../../platform/text-file.ts'
import { putCaptions } from './captions-put.ts'
import { MAX_CAPTION_CHARACTERS } from './schema.ts'

/**
 * Stores a captions file as it was received, like `putCaptions`. Errors: also INVALID_REQUEST for a file that is not text,
 * PAYLOAD_TOO_LARGE for too many characters.
 */
export function putCaptionsFile(
  ctx: AccountCtx,
  { file, ...input }: { videoId: string; language: string; label: string; file: Buffer },
): Promise<{ language: string; label: string; cues: number }> {
  const text = textOfFile(file)
  if (text === undefined)
    throw new ServiceError('INVALID_REQUEST', { message: NOT_TEXT, details: [{ in: 'body', path: '', message: NOT_TEXT }] })
  if (text.length > MAX_CAPTION_CHARACTERS) throw new ServiceError('PAYLOAD_TOO_LARGE')
  return putCaptions(ctx, { ...input, text })
}
