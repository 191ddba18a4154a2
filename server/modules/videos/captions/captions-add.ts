import type { Tx } from '../../../platform/database/database.ts'
import { nameOfContent, storeExtra } from '../extras.ts'
import { MAX_CAPTION_LANGUAGES } from '../schema.ts'
import { uniqueName } from '../unique-name.ts'
import { languageOf } from './caption-tags.ts'
import { nativeName } from './captions-put.ts'

interface Added {
  videoId: string
  language: string
  /** Empty, or used by other captions: the language's own name, with a number where that is used as well. */
  label: string
  /** As `captionsOf` returns them. */
  body: Uint8Array
  cues: number
}

/**
 * Adds captions of the source in a language that has none. Safe to repeat. `tx` holds the video. Returns `kept` when the language has other
 * captions, and `full` when the video has captions in as many languages as it may have.
 */
export async function addCaptions(tx: Tx, { videoId, language, label, body, cues }: Added): Promise<'added' | 'kept' | 'full'> {
  const before = await tx.caption.findMany({ where: { videoId }, select: { language: true, name: true, label: true } })
  const same = before.find((one) => one.language === language)
  if (!same && before.length >= MAX_CAPTION_LANGUAGES) return 'full'
  if (same) return same.name === nameOfContent(body) ? 'added' : 'kept'
  const taken = new Set(before.map((one) => one.label))
  const name = await storeExtra(videoId, body)
  const fields = {
    label: label && !taken.has(label) ? label : uniqueName(labelOf(languageOf(language)), taken),
    name,
    cues,
    bytes: body.byteLength,
  }
  await tx.caption.create({ data: { videoId, language, fromSource: true, ...fields } })
  return 'added'
}

const labelOf = (language: string) => (language === 'und' ? 'Subtitles' : nativeName(language))
