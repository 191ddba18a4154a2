const MAX_BYTES = 180

/** Returns a text as the name of a file that every system can store: without separators, control characters and leading dots. */
export function filenameOf(text: string): string {
  const clean = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069"*/:<>?\\|]+/g, ' ')
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .replace(/\s+/g, ' ')
  const [, stem = clean, ending = ''] = /^(.*?)(\.[A-Za-z0-9]{1,8})?$/s.exec(clean) ?? []
  let kept = ''
  for (const { segment } of new Intl.Segmenter('en').segment(stem)) {
    if (Buffer.byteLength(kept + segment) > MAX_BYTES) break
    kept += segment
  }
  return `${kept.trimEnd() || 'video'}${ending}`
}

/** Returns the file name of an MP4 by its key (`renditionName`). */
export function mp4Name(title: string, file: string): string {
  const [quality, codec] = file.split('-').reverse()
  return filenameOf(`${title} (${quality}${codec ? `, ${codec.toUpperCase()}` : ''}).mp4`)
}

/** Returns a Content-Disposition for a download: the name in ASCII, and whole in UTF-8 (RFC 6266, RFC 8187). */
export function attachment(filename: string): string {
  const ascii = filename.replace(/[^\x20-\x7e]|[%"\\]/g, '_')
  const whole = encodeURIComponent(filename).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${whole}`
}
