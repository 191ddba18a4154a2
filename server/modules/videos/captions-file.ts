import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { putCaptions } from './captions-put.ts'
import { MAX_CAPTION_CHARACTERS } from './schema.ts'

/**
 * Stores a captions file as it was received, like `putCaptions`. Errors: also INVALID_REQUEST for a file that is not UTF-8,
 * PAYLOAD_TOO_LARGE for too many characters.
 */
export function putCaptionsFile(
  ctx: AccountCtx,
  { file, ...input }: { videoId: string; language: string; label: string; file: Buffer },
): Promise<{ language: string; label: string; cues: number }> {
  const text = textOf(file)
  if (text.length > MAX_CAPTION_CHARACTERS) throw new ServiceError('PAYLOAD_TOO_LARGE')
  return putCaptions(ctx, { ...input, text })
}

function textOf(file: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    const message = 'This file is not UTF-8 text. Convert it to UTF-8.'
    throw new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'body', path: '', message }] })
  }
}
