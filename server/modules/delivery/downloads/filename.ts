import { storage } from '../../../platform/storage/storage.ts'
import { HEAD_BYTES, usualEnding } from '../../transcoding/probe/container.ts'

const MAX_BYTES = 180

/**
 * Returns a text as a file name that every system can store: without separators, control characters and leading dots. A long one is cut
 * before its ending, and before `suffix`.
 */
function filenameOf(text: string, suffix = ''): string {
  const clean = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069"*/:<>?\\|]+/g, ' ')
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .replace(/\s+/g, ' ')
  const [, stem = clean, ending = ''] = suffix ? [] : (/^(.*?)(\.[A-Za-z0-9]{1,8})?$/s.exec(clean) ?? [])
  let kept = ''
  for (const { segment } of new Intl.Segmenter('en').segment(stem)) {
    if (Buffer.byteLength(kept + segment) > MAX_BYTES) break
    kept += segment
  }
  return `${kept.trimEnd() || 'video'}${suffix || ending}`
}

/** Returns an MP4's file name by its key (`renditionName`). */
export function mp4Name(title: string, file: string): string {
  const [quality, codec] = file.split('-').reverse()
  return filenameOf(title, ` (${quality}${codec ? `, ${codec.toUpperCase()}` : ''}).mp4`)
}

/** Returns a Content-Disposition for a download, with the name in ASCII, and in full in UTF-8 (RFC 6266, RFC 8187). */
export function attachment(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|[%"\\]/g, '_')
  const whole = encodeURIComponent(filename).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${whole}`
}

/** With a letter, because the end of “Lesson 1.25” is not an ending. */
const ENDING = /\.(?=\d*[a-z])[a-z\d]{2,8}$/i

/** Returns the name that an original is downloaded under. One without an ending, as from `curl -T`, gets its container's. */
export async function originalName({ sourceName, sourceKey }: { sourceName: string; sourceKey: string }, bytes: number): Promise<string> {
  const name = filenameOf(sourceName)
  if (ENDING.test(name) || bytes === 0) return name
  const head: Uint8Array[] = []
  for await (const chunk of storage().read(sourceKey, { start: 0, end: Math.min(bytes, HEAD_BYTES) - 1 })) head.push(chunk)
  const ending = usualEnding(Buffer.concat(head))
  return ending ? `${name}.${ending}` : name
}
